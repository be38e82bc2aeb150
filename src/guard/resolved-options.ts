import type { Artifact, CompiledPack } from "../artifact/compiled.js";
import { checkArtifact } from "../artifact/decode.js";
import { packOfRole } from "../artifact/roles.js";
import { crypto } from "../base/crypto.js";
import { isJsonObject, type Json } from "../base/json.js";
import type { Recording } from "./durable/recording.js";
import { checkedClock } from "./guard-options.js";
import type { Program } from "./program/program.js";
import type { Clock, GuardOptions } from "./public.js";
import type { Seat } from "./seat.js";
import { plainJson } from "./values/plain-json.js";

/** The options of a guard, checked and with their defaults. */
export interface ResolvedOptions {
  readonly sessionId: string;
  readonly principal: Json | null;
  readonly mode: "enforce" | "shadow" | "log-only";
  readonly unmatched: "block" | "allow";
  readonly approver: GuardOptions["approver"];
  readonly clock: Clock;
  /** Names this guard among others of the session. */
  readonly guardId: string;
  readonly requester: string | null;
  readonly approvals: { readonly quorum: number; readonly notRequester: boolean };
  /** What is recorded of calls; null where the session does not outlive the process. */
  readonly recording: Recording | null;
  /** Its place in a workflow; null without one. */
  readonly seat: Seat | null;
}

const checked = new WeakMap<object, Artifact>();

/** A checked copy of the artifact, so that later changes to the original have no effect. */
export function trustedArtifact(artifact: Artifact | null): Artifact {
  if (artifact === null) throw new TypeError("there is no artifact: its pack has errors, which its diagnostics list");
  const known = checked.get(artifact);
  if (known !== undefined) return known;
  const result = checkArtifact(artifact);
  if (!result.ok) throw new TypeError(`the artifact is rejected (${result.refusal}): ${result.message}`);
  checked.set(artifact, result.artifact);
  return result.artifact;
}

/** The pack to enforce: that of the role, or the artifact's own. */
export function packOf(artifact: Artifact, role: string | undefined): CompiledPack {
  const { packs, workflow } = artifact;
  const [root] = packs;
  if (root === undefined) throw new TypeError("the artifact holds no pack");
  if (role === undefined) {
    if (workflow === null || root.tools.length > 0) return root;
    const roles = workflow.roles.map(({ name }) => name).join(", ");
    throw new TypeError(`the artifact is a workflow; give the \`role\` of the session: ${roles}`);
  }
  const pack = packOfRole(artifact, role);
  if (pack === undefined) throw new TypeError(`the artifact has no role \`${role}\``);
  return pack;
}

function principalOf(given: unknown, pack: CompiledPack): Json | null {
  if (given === undefined || given === null) {
    if (!pack.needs_principal) return null;
    throw new TypeError("the pack has rules about the caller; give a `principal`");
  }
  const plain = plainJson(given);
  if (!plain.ok || !isJsonObject(plain.value)) throw new TypeError("a `principal` must be a JSON object");
  return plain.value;
}

/** The variables that a guard may read. */
export function environmentOf({ env }: GuardOptions): Readonly<Record<string, string | undefined>> {
  return env === undefined || env === "lenient" ? process.env : env;
}

/** Rules on an unset variable refuse every call: better not to start. */
export function requireVariables({ variables, env }: Program): void {
  const unset = variables.filter((name) => !env.has(name));
  if (unset.length === 0) return;
  throw new TypeError(
    `rules of the pack compare with environment variables that are not set: ${unset.join(", ")}; set them, or pass \`env: "lenient"\` to have these rules block`,
  );
}

/** Adds the defaults to options that were checked. */
export function resolveOptions(options: GuardOptions, pack: CompiledPack): ResolvedOptions {
  const { mode = "enforce", unmatched = "block", approver, sessionId = crypto().randomUUID() } = options;
  const { requester = null, approvals: { quorum = 1, notRequester = true } = {} } = options;
  // Without a spread, so that the options of all guards have one hidden class.
  return {
    sessionId,
    principal: principalOf(options.principal, pack),
    mode,
    unmatched,
    approver,
    clock: checkedClock(options.clock),
    guardId: crypto().randomUUID(),
    requester,
    approvals: { quorum, notRequester },
    recording: null,
    seat: null,
  };
}
