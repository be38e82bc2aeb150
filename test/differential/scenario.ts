import type { Json, JsonObject } from "../../src/base/json.js";
import type { SessionContract } from "../../src/language/schema/session.js";
import type { ToolContract } from "../../src/language/schema/tool.js";
import type { Options, Pack, State, ToolDefinition } from "./reference/model.js";
import { ReferenceGuard } from "./reference-guard.js";

/** A contract with the required fields and what the scenario is about. */
export function tool(name: string, fields: Partial<ToolContract> = {}): ToolContract {
  return {
    tool: name,
    side_effect: "write",
    evidence_class: "local_transaction",
    commit_requirement: "acknowledged",
    timeouts: { total_ms: 1000 },
    retries: { max_attempts: 1, retry_on: [] },
    rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } },
    assertions: { input_invariants: [], output_invariants: [] },
    golden_cases: [],
    allowed_errors: [],
    ...fields,
  };
}

/** A pack of these tools; without fields of session.yaml it has none. */
export function pack(
  tools: readonly ToolContract[],
  session?: Partial<SessionContract>,
  definitions: readonly ToolDefinition[] | null = null,
): Pack {
  const whole = session === undefined ? null : { schema_version: "1.0", agent: "scenario", ...session };
  return { tools, session: whole, definitions };
}

/** A session under way; every step answers with one word. */
export interface Play {
  readonly guard: ReferenceGuard;
  /** Another guard of the session. */
  readonly other: ReferenceGuard;
  readonly requests: string[];
  readonly calls: string[];
  wait(seconds: number): void;
}

export type Step = (play: Play) => string;

/** Starts a session of the pack. */
export function start(of: Pack, options: Partial<Options> = {}): Play {
  let now = 0;
  const whole: Options = {
    principal: null,
    env: { REGION: "EU" },
    unmatched: "block",
    mode: "enforce",
    approver: "manual",
    clock: { now: () => now },
    ...options,
  };
  const guard = new ReferenceGuard(of, whole);
  return {
    guard,
    other: guard.another(whole),
    requests: [],
    calls: [],
    wait(seconds) {
      now += seconds * 1000;
    },
  };
}

function note(play: Play, verdict: ReturnType<ReferenceGuard["approve"]>): string {
  if (verdict.kind === "recorded") return `recorded ${verdict.approvals} of ${verdict.needed}`;
  if (verdict.kind === "approval_required") play.requests.push(verdict.approvalId);
  if (verdict.kind === "allow") play.calls.push(verdict.callId);
  if (verdict.kind === "block") return verdict.reason;
  if (verdict.repeated) return `${verdict.kind}, repeated`;
  const would = verdict.kind === "allow" ? verdict.would : undefined;
  if (would === undefined) return verdict.kind;
  return `allow, would ${would.kind === "block" ? would.reason : would.kind}`;
}

/** The word of what is done; a mistake of the caller is answered with the name of its error. */
function orError(act: () => string): string {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof TypeError) return cause.name;
    throw cause;
  }
}

/** Proposes a call and leaves it running. */
export function call(name: unknown, args: unknown = {}): Step {
  return (play) => note(play, play.guard.propose({ tool: name, args }));
}

/** The same under a key. */
export function keyed(callKey: unknown, name: string, args: unknown = {}): Step {
  return (play) => orError(() => note(play, play.guard.propose({ tool: name, args, callKey })));
}

/** The place of a call among those that were allowed, by the id that was repeated. */
export const sameCall: Step = ({ calls }) => String(calls.indexOf(calls.at(-1) ?? ""));

export function addLabel(label: unknown): Step {
  return ({ guard }) =>
    orError(() => {
      guard.addLabel(label);
      return "";
    });
}

/** Settles a call that was allowed, by its number from 0 on; by default the last one. */
export function settle(outcome: unknown, index = -1): Step {
  return (play) =>
    orError(() => {
      const result = play.guard.settle(play.calls.at(index) ?? "no-call", outcome);
      if (!result.accepted) return result.reason;
      return result.violation === undefined ? "accepted" : "violation";
    });
}

/** Settles a call with its result. */
export function result(output: Json = {}, index = -1): Step {
  return settle({ kind: "result", output }, index);
}

/** Proposes a call and settles it with its result. */
export function done(name: string, args: JsonObject = {}, output: Json = {}): Step {
  return (play) => {
    const verdict = call(name, args)(play);
    return verdict === "allow" ? result(output)(play) : verdict;
  };
}

/** The same through another guard of the session. */
export function elsewhere(step: Step): Step {
  return (play) => step({ ...play, guard: play.other, other: play.guard });
}

/** Somebody approves the last request. */
export function approveBy(by: string): Step {
  return (play) => note(play, play.guard.approve(play.requests.at(-1) ?? "", { by }));
}

/** Somebody denies it. */
export function denyBy(by: string): Step {
  return (play) => note(play, play.guard.deny(play.requests.at(-1) ?? "", { by }));
}

export const approve = approveBy("me");
export const deny = denyBy("me");
export const withdraw: Step = ({ guard, requests }) => {
  guard.withdraw(requests.at(-1) ?? "");
  return "";
};
export const resume: Step = (play) => note(play, play.guard.resume(play.requests.at(-1) ?? ""));

/** Somebody found out whether a call happened whose result came late; the last call unless told. */
export function acknowledge(happened: boolean, index = -1): Step {
  return ({ guard, calls }) => {
    const found = { by: "me", why: "looked it up", happened };
    const result = guard.acknowledge(calls.at(index) ?? "no-call", found);
    return result.accepted ? "accepted" : result.reason;
  };
}

export const beginStep: Step = ({ guard }) => {
  const verdict = guard.beginStep();
  return verdict.kind === "block" ? verdict.reason : verdict.kind;
};

/** What happens around the calls, answered with nothing. */
export function meanwhile(act: (play: Play) => void): Step {
  return (play) => {
    act(play);
    return "";
  };
}

/** Reads something of the state. */
export function state(read: (state: State) => unknown): Step {
  return ({ guard }) => JSON.stringify(read(guard.state()));
}

/** Why a tool is hidden now. */
export function hidden(name: string): Step {
  return ({ guard }) => guard.visibleTools().hidden.find((entry) => entry.tool === name)?.reason ?? "visible";
}

/** One sentence of the documents as a small session. */
export interface Scenario {
  readonly sentence: string;
  readonly pack: Pack;
  readonly options?: Partial<Options>;
  /** What is done, each with the word it is answered with. */
  readonly steps: readonly (readonly [Step, string])[];
}
