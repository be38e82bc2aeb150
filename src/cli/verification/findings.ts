import type { Verification } from "../../analysis/verification.js";
import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { PackRules } from "../../artifact/pack-rules.js";
import type { VerificationSuppression } from "../../compiler/verification-suppression.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { VERIFICATION_FINDINGS, type VerificationCode } from "../../diagnostics/verification-findings.js";
import type { Suppressed } from "../../report/report-content.js";
import { sentenceOf } from "../../report/sentences.js";
import type { PlaceSpans } from "./place-span.js";
import { unusedSuppression } from "./unused-suppression.js";
import { OF_WORKFLOW } from "./workflow-findings.js";

/** One pack, what exploring it has shown, and which findings the pack accepts. */
export interface Verified {
  readonly pack: CompiledPack;
  readonly verification: Verification;
  readonly suppressions: readonly VerificationSuppression[];
}

interface Found {
  readonly code: VerificationCode;
  readonly at: Place | null;
  readonly message: string;
  readonly tools: readonly string[];
}

function isShut({ checks }: CompiledTool): boolean {
  return checks.some(({ kind }) => kind === "gate");
}

function rulesFound({ pack, verification }: Verified): readonly Found[] {
  const rules = new PackRules(pack);
  return verification.rules.flatMap(({ rule: id, status, because }): readonly Found[] => {
    const rule = rules.all.find((candidate) => candidate.id === id);
    if (rule === undefined) return [];
    const { at, tools } = rule;
    const sentence = sentenceOf(rule);
    if (status === "cannot_fire") {
      const message = `no call is ever refused by this rule, because ${because}: ${sentence}`;
      return [{ code: "rule_cannot_fire", at, tools, message }];
    }
    if (status !== "not_shown") return [];
    return [{ code: "rule_not_shown", at, tools, message: `no call was found that this rule refuses: ${sentence}` }];
  });
}

function toolsFound({ pack, verification }: Verified): readonly Found[] {
  return verification.tools.flatMap(({ tool: name, status, because }): readonly Found[] => {
    const tool = pack.tools.find((candidate) => candidate.name === name);
    if (tool === undefined || status === "allowed" || isShut(tool)) return [];
    const { at } = tool;
    const never = `no call of \`${name}\` is ever allowed, because ${because}`;
    return status === "never_allowed"
      ? [{ code: "tool_never_allowed", at, tools: [name], message: never }]
      : [{ code: "tool_not_shown", at, tools: [name], message: `no allowed call of \`${name}\` was found` }];
  });
}

function stuckFound({ pack, verification }: Verified): readonly Found[] {
  return verification.stuck.flatMap(({ phase, cause, isProved, trace }): readonly Found[] => {
    if (cause === "limits") return [];
    const called = trace.steps.findLast((step) => step.kind === "call");
    const name = called?.kind === "call" ? called.tool : "";
    const at = pack.tools.find((tool) => tool.name === name)?.at ?? null;
    const why = cause === "label" ? "once a label is added, " : "";
    const message = isProved
      ? `${why}a session can get stuck in the phase \`${phase}\`: no terminal phase is reachable any more`
      : `${why}a session can get into a state in the phase \`${phase}\` from which no path to a terminal phase was found`;
    return [{ code: "stuck_session", at, tools: name === "" ? [] : [name], message }];
  });
}

function claimsFound({ verification }: Verified): readonly Found[] {
  return verification.claims.flatMap(({ at, text, status }): readonly Found[] =>
    status === "violated" ? [{ code: "claim_violated", at, tools: [], message: `this does not hold: ${text}` }] : [],
  );
}

function silences({ check, tool }: VerificationSuppression, { code, tools }: Found): boolean {
  return check === code && (tool === null || tools.includes(tool));
}

function severityOf(code: VerificationCode) {
  return VERIFICATION_FINDINGS.find((finding) => finding.code === code)?.severity ?? "error";
}

/** The rules and tools that have a finding suppressed with a reason. */
export function suppressedBy(verified: Verified): Suppressed {
  const { verification } = verified;
  const isSilent = (found: Found) => verified.suppressions.some((suppression) => silences(suppression, found));
  const only = (part: Partial<Verification>) => ({ ...verified, verification: { ...verification, ...part } });
  const rules = verification.rules.filter((rule) => rulesFound(only({ rules: [rule] })).some(isSilent));
  const tools = verification.tools.filter((tool) => toolsFound(only({ tools: [tool] })).some(isSilent));
  const stuck = stuckFound(verified);
  return {
    rules: rules.map(({ rule }) => rule),
    tools: tools.map(({ tool }) => tool),
    isStuckMeant: stuck.length > 0 && stuck.every(isSilent),
  };
}

/** What exploring a pack found, as findings at their places; what is suppressed with a reason is left out. */
export function verificationFindings(verified: Verified, spans: PlaceSpans): readonly Diagnostic[] {
  const { suppressions } = verified;
  const found = [rulesFound, toolsFound, claimsFound, stuckFound].flatMap((find) => find(verified));
  const reported = found.filter((each) => !suppressions.some((suppression) => silences(suppression, each)));
  const unused = suppressions.filter(
    (suppression) => suppression.check !== OF_WORKFLOW && !found.some((each) => silences(suppression, each)),
  );
  return [
    ...reported.map(({ code, at, message }) => ({ code, severity: severityOf(code), message, span: spans.at(at) })),
    ...unused.map(unusedSuppression),
  ];
}
