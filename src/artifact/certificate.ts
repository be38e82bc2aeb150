import * as d from "../base/decoder.js";
import type { ClaimBody } from "./claim.js";
import { invariant } from "./compiled-value.js";

/** Types of certificates, each with the decoder that it is inferred from. */

/** What is proved: a claim about calls, or that no call of a tool is ever allowed. */
const statement = d.tagged("kind", {
  never_allowed: { tool: d.string },
  never_without_prior: { tool: d.string, prior: d.string },
  never_after: { tool: d.string, after: d.string },
  never_when_label: { tool: d.string, label: d.string },
  at_most: { tool: d.string, calls: d.count },
  requires_approval: { tool: d.string, when: d.list(invariant) },
});
export type Statement = d.Decoded<typeof statement>;

/** What counts calls: a limit of a tool or of all calls, an aggregate, or a tool whose calls forbid others. */
const counted = d.tagged("kind", {
  calls: { tool: d.nullable(d.string), most: d.count },
  aggregate: { index: d.count },
  forbidding: { tool: d.string },
});
export type Counted = d.Decoded<typeof counted>;

/**
 * A set of sessions: in the phase, with at most these calls committed and open, and at least these counts. `past` is
 * exact: what the statement asks about the calls before.
 */
const state = d.object({
  phase: d.nullable(d.string),
  past: d.count,
  committed: d.list(d.string),
  /** Null for any number of calls. */
  open: d.list(d.object({ tool: d.string, calls: d.nullable(d.count) })),
  counts: d.list(d.number),
});
export type SessionSet = d.Decoded<typeof state>;

/** The states of all sessions of principals that are refused these tools at least. */
const region = d.object({
  denied: d.list(d.string),
  /** The tools whose calls are followed; those of others are left out. */
  tools: d.list(d.string),
  /** Those of them of which it is kept whether they were committed; of others that is not known. */
  kept: d.list(d.string),
  hasPhases: d.boolean,
  counters: d.list(counted),
  states: d.list(state),
});
export type Region = d.Decoded<typeof region>;

const proof = d.object({
  /** The index of the pack in the artifact. */
  pack: d.count,
  statement,
  /** What the proof takes for granted. */
  assumes: d.list(d.oneOf("enforced", "no_late_result")),
  regions: d.list(region),
});
export type CertifiedProof = d.Decoded<typeof proof>;

/** The version that this code reads and writes. */
export const CERTIFICATE_VERSION = 1;

const certificate = d.object({ certificate: d.count, artifact: d.string, proofs: d.list(proof) });
export type Certificate = d.Decoded<typeof certificate>;

/** A certificate, or why a text is none. */
export type ReadCertificate =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly message: string };

function refuse(message: string): ReadCertificate {
  return { ok: false, message };
}

/** Reads a certificate from its text; what it proves is not checked here. */
export function readCertificate(text: string): ReadCertificate {
  try {
    const value: unknown = JSON.parse(text);
    const version =
      typeof value === "object" && value !== null && "certificate" in value ? value.certificate : undefined;
    if (version !== CERTIFICATE_VERSION) {
      const found = typeof version === "number" ? `version ${version}` : "no version";
      return refuse(`the certificate has ${found}; this program reads version ${CERTIFICATE_VERSION}: write it again`);
    }
    return { ok: true, certificate: certificate(value, "certificate") };
  } catch (cause) {
    if (cause instanceof SyntaxError) return refuse("the certificate is not JSON: it was cut off or changed");
    if (cause instanceof d.DecodeFailure) return refuse(cause.message);
    if (cause instanceof RangeError) return refuse("the certificate is nested too deeply");
    throw cause;
  }
}

/** The statement of a claim, without its place and reason; null for one that certificates do not cover. */
export function statementOf(claim: ClaimBody): Statement | null {
  switch (claim.kind) {
    case "never_without_prior":
      return { kind: claim.kind, tool: claim.tool, prior: claim.prior };
    case "never_after":
      return { kind: claim.kind, tool: claim.tool, after: claim.after };
    case "never_when_label":
      return { kind: claim.kind, tool: claim.tool, label: claim.label };
    case "at_most":
      return { kind: claim.kind, tool: claim.tool, calls: claim.calls };
    case "requires_approval":
      return { kind: claim.kind, tool: claim.tool, when: claim.when };
    case "always_possible":
      return null;
  }
}
