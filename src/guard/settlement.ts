import type { CompiledTool } from "../artifact/compiled.js";
import type { CompiledInvariant, Place } from "../artifact/compiled-value.js";
import { show, wantedOf } from "../artifact/wording.js";
import { withinBudget } from "../base/cost.js";
import type { Json } from "../base/json.js";
import { keeps, referencesOf } from "./checks/envelope.js";
import type { Ending, ErrorSign, SessionEvent } from "./event.js";
import { judgeEntry } from "./judge-value.js";
import { matchWithinBudget } from "./match-pattern.js";
import { plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import { readAll, readDefinite } from "./read-path.js";
import { type Call, type Session, UNKNOWN, unsettledCall } from "./session.js";
import { tooCostly } from "./verdict.js";
import { present } from "./worlds.js";

/** What became of a call, as the caller saw it. */
export type Outcome =
  | { readonly kind: "result"; readonly output?: unknown }
  | {
      readonly kind: "error";
      readonly sent: boolean;
      readonly status?: number | undefined;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
    }
  | { readonly kind: "timeout"; readonly sent: boolean }
  | { readonly kind: "happened"; readonly output?: unknown }
  | { readonly kind: "did_not_happen" };

/** Why a settlement changes nothing. */
export type SettlementRefusal =
  | "unknown_call"
  | "already_settled"
  | "outcome_is_open"
  | "committed_at_dispatch"
  | "unknown_outcome";

/** A rule that an output broke. */
export interface Violation {
  readonly reason: "output_invariant_failed" | "output_stage_violated" | "output_not_json" | "unjudgeable_cost";
  readonly rule: Place | null;
  readonly required: string;
  readonly found: string;
}

/** What a settlement means: nothing, or an event, perhaps with a violation to tell. */
export type Settlement =
  | { readonly accepted: false; readonly reason: SettlementRefusal }
  | {
      readonly accepted: true;
      readonly event: SessionEvent & { readonly kind: "settled" };
      readonly violation: Violation | null;
    };

type AllowedError = CompiledTool["allowed_errors"][number];

function matchesStatus(expected: string, status: number | undefined): boolean {
  if (status === undefined) return false;
  return expected.endsWith("xx") ? expected[0] === String(status)[0] && status >= 100 : expected === String(status);
}

/** The entries of `allowed_errors` that expect this error; of each, all keys must match. A timeout is no error answer. */
function expectedErrors(compiled: CompiledTool | null, outcome: Outcome): readonly AllowedError[] {
  if (outcome.kind !== "error") return [];
  return (compiled?.allowed_errors ?? []).filter(({ status, code, message, outcome: said }) => {
    if (status !== null && !matchesStatus(status, outcome.status)) return false;
    if (code !== null && code !== outcome.code) return false;
    if (message === null) return true;
    if (outcome.message === undefined) return false;
    // What cannot be judged must not free a call: it counts for an entry that says so anyway.
    return matchWithinBudget(message, outcome.message) ?? said === "unknown";
  });
}

/** An error answer of the tool means that it refused; a lost or broken answer means that nobody knows. */
function endingOfError(outcome: Outcome & { readonly kind: "error" }, expected: readonly AllowedError[]): Ending {
  if (!outcome.sent) return "released";
  const said = expected.find((entry) => entry.outcome !== null)?.outcome;
  if (said !== undefined) return said === "not_executed" ? "released" : "indeterminate";
  const { status, code } = outcome;
  if (status === undefined) return code === undefined ? "indeterminate" : "released";
  return status >= 400 && status < 500 && status !== 408 ? "released" : "indeterminate";
}

/** Whether an attempt that ended so may have had its effect. */
export function leavesEffectUnknown(
  compiled: CompiledTool | null,
  outcome: Outcome & { readonly kind: "error" | "timeout" },
): boolean {
  if (outcome.kind === "timeout") return outcome.sent;
  return endingOfError(outcome, expectedErrors(compiled, outcome)) === "indeterminate";
}

/** An output that cannot be judged within its budget of work is not handed on. */
function brokenInvariant(program: Program, call: Call, output: Json): Violation | null {
  let rule: Place | null = null;
  const firstBroken = (): Violation | null => {
    for (const entry of call.tool.compiled?.output_invariants ?? []) {
      rule = entry.at;
      const broken = brokenEntry(program, entry, output);
      if (broken !== null) return broken;
    }
    return null;
  };
  return withinBudget(firstBroken, () => {
    const { required, found } = tooCostly(rule);
    return { reason: "unjudgeable_cost", rule, required, found };
  });
}

function brokenEntry(program: Program, entry: CompiledInvariant, output: Json): Violation | null {
  if (judgeEntry(entry, output, program.env) === true) return null;
  const required = wantedOf(entry.path.text, entry.operators);
  return { reason: "output_invariant_failed", rule: entry.at, required, found: show(readAll(entry.path, output)[0]) };
}

function brokenStage(program: Program, session: Session, call: Call, output: Json): Violation | null {
  for (const { envelope, stage } of call.tool.stages) {
    const compiled = program.envelopes[envelope];
    if (compiled === undefined || stage.role !== "constrained" || stage.source !== "output") continue;
    const value = stage.path.kind === "definite" ? (readDefinite(stage.path.steps, output) ?? null) : null;
    for (const name of referencesOf(compiled.constraint)) {
      // A call is judged against the references before it, also where it has written its own already.
      const before = session.references[envelope]?.get(name)?.filter(({ openCall }) => openCall !== call.id);
      const reference = present(before);
      if (reference !== undefined && reference !== UNKNOWN && keeps(compiled, name, value, reference)) continue;
      return { reason: "output_stage_violated", rule: stage.at, required: compiled.reason, found: show(value) };
    }
  }
  return null;
}

/** What a settlement is judged against. */
export interface Settling {
  readonly program: Program;
  readonly session: Session;
  /** False in log-only mode: outputs are recorded, not judged. */
  readonly judges: boolean;
}

interface Judged {
  readonly ending: Ending;
  readonly sign: ErrorSign;
  readonly output?: Json;
  readonly violation?: Violation | null;
}

function judgeResult({ program, session, judges }: Settling, call: Call, raw: unknown): Judged {
  const plain = plainJson(raw === undefined ? null : raw);
  if (!plain.ok) {
    const violation: Violation = {
      reason: "output_not_json",
      rule: null,
      required: "an output that is JSON",
      found: plain.what,
    };
    return { ending: "violated", sign: "error", violation };
  }
  const output = plain.value;
  const violation = judges
    ? (brokenInvariant(program, call, output) ?? brokenStage(program, session, call, output))
    : null;
  return violation === null
    ? { ending: "committed", sign: "success", output }
    : { ending: "violated", sign: "error", violation };
}

function judgeOutcome(settling: Settling, call: Call, outcome: Outcome): Judged {
  const expected = expectedErrors(call.tool.compiled, outcome);
  const sign: ErrorSign = expected.length === 0 ? "error" : "neither";
  switch (outcome.kind) {
    case "result":
      return judgeResult(settling, call, outcome.output);
    case "error":
      return { ending: endingOfError(outcome, expected), sign };
    case "timeout":
      return { ending: outcome.sent ? "indeterminate" : "released", sign };
    case "happened": {
      const plain = plainJson(outcome.output);
      return { ending: "committed", sign: "neither", ...(plain.ok ? { output: plain.value } : {}) };
    }
    case "did_not_happen":
      return { ending: "released", sign: "neither" };
  }
}

/** A read that may or may not have happened changed nothing; a commit at dispatch is never taken back. */
function finalEnding(call: Call, ending: Ending): Ending {
  if (call.tool.commitsAtDispatch) return ending === "violated" ? "violated" : "committed";
  return ending === "indeterminate" && call.tool.isRead ? "released" : ending;
}

function wasIssued({ issued, approval }: Session, callId: string): boolean {
  const serial = /^call_([1-9][0-9]*)$/.exec(callId)?.[1];
  return serial !== undefined && Number(serial) <= issued && approval?.callId !== callId;
}

const KINDS: ReadonlySet<string> = new Set(["result", "error", "timeout", "happened", "did_not_happen"]);

/** What an outcome means for a call; pure, the event it gives is what changes the session. */
export function settlementOf(settling: Settling, callId: string, outcome: Outcome): Settlement {
  const { session } = settling;
  const call = unsettledCall(session, callId);
  if (call === undefined) return refused(wasIssued(session, callId) ? "already_settled" : "unknown_call");
  if (!KINDS.has(outcome.kind)) return refused("unknown_outcome");
  const isVerdict = outcome.kind === "happened" || outcome.kind === "did_not_happen";
  if (call.status === "indeterminate" && !isVerdict) return refused("outcome_is_open");
  if (call.tool.commitsAtDispatch && outcome.kind === "did_not_happen") return refused("committed_at_dispatch");
  const { ending, sign, output, violation = null } = judgeOutcome(settling, call, outcome);
  const event = { kind: "settled", callId, ending: finalEnding(call, ending), sign } as const;
  return { accepted: true, event: output === undefined ? event : { ...event, output }, violation };
}

function refused(reason: SettlementRefusal): Settlement {
  return { accepted: false, reason };
}
