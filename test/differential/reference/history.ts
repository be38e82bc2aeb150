import type { Json, JsonObject } from "../../../src/base/json.js";
import { contractOf, type Pack, type Violation } from "./model.js";
import type { Answer, ApprovalRequest } from "./requests.js";

/** The output of a call as far as it is known; `void` is one that broke an output invariant after the call committed. */
export type Output =
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly value: Json }
  | { readonly kind: "none" }
  | { readonly kind: "void" };

/** An explicit step by its number, or a step that a call is by itself. */
export type Step = number | "own";

/** A tool and its arguments, known to be JSON. */
export interface CallText {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Everything that ever happens to a session; nothing else is stored. */
export type Event =
  | {
      readonly kind: "allowed";
      readonly callId: string;
      readonly call: CallText;
      readonly step: Step;
      readonly key: string | null;
    }
  | { readonly kind: "blocked" }
  | { readonly kind: "settled"; readonly callId: string; readonly end: End }
  | { readonly kind: "error" }
  | { readonly kind: "success" }
  | { readonly kind: "step" }
  | { readonly kind: "cost"; readonly usd: number }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "killed" }
  | { readonly kind: "asked"; readonly request: ApprovalRequest }
  | { readonly kind: "answered"; readonly approvalId: string; readonly answer: Answer; readonly by: string }
  | { readonly kind: "decided"; readonly approvalId: string }
  /** A result of a call that was settled as `did_not_happen`, and what somebody found out about it. */
  | { readonly kind: "late_result"; readonly callId: string }
  | { readonly kind: "acknowledged"; readonly callId: string; readonly happened: boolean };

/** What a settlement makes of a call. */
export type End =
  | { readonly kind: "committed"; readonly output: Output }
  | { readonly kind: "violated"; readonly by: Violation }
  /** Proven by how the call ended, or settled as `did_not_happen`: somebody's word, which a result contradicts. */
  | { readonly kind: "released"; readonly proof: "outcome" | "word" }
  | { readonly kind: "indeterminate" };

/** A call that was allowed, with what became of it so far. */
export interface Call {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly step: Step;
  /** How its settlement stands; null once it is settled. */
  readonly open: "running" | "indeterminate" | null;
  /** What it did to the session; `pending` is a reservation that may still go either way. */
  readonly effect: "pending" | "committed" | "violated" | "released";
  readonly output: Output;
}

/** The calls of a session in the order of their verdicts, and the committed ones in the order of their commits. */
export interface Calls {
  readonly all: readonly Call[];
  readonly commits: readonly Call[];
  /** Committed and violated ones, in the order in which they became that. */
  readonly ended: readonly Call[];
}

/** `commit_requirement: none`, and every `unverifiable` tool, commits with the verdict. */
export function commitsAtDispatch(pack: Pack, tool: string): boolean {
  const contract = contractOf(pack, tool);
  return contract?.commit_requirement === "none" || contract?.evidence_class === "unverifiable";
}

function settle(call: Call, end: End): Call {
  switch (end.kind) {
    case "committed":
      return { ...call, open: null, effect: "committed", output: end.output };
    case "violated":
      // A call committed at dispatch stays committed; what it answered binds nothing.
      if (call.effect === "committed") return { ...call, open: null, output: { kind: "void" } };
      return { ...call, open: null, effect: "violated" };
    case "released":
      return { ...call, open: null, effect: "released" };
    case "indeterminate":
      return { ...call, open: "indeterminate" };
  }
}

/** Events are only added, each to one session, so the last one about calls identifies all before it. */
const known = new WeakMap<Event, Calls>();
const NO_CALLS: Calls = { all: [], commits: [], ended: [] };
const ABOUT_CALLS: ReadonlySet<Event["kind"]> = new Set(["allowed", "settled", "acknowledged"]);

/** Reads the calls from the events, from the first to the last. */
export function readCalls(pack: Pack, events: readonly Event[]): Calls {
  const last = events.findLast(({ kind }) => ABOUT_CALLS.has(kind));
  if (last === undefined) return NO_CALLS;
  const calls = known.get(last) ?? readAll(pack, events);
  known.set(last, calls);
  return calls;
}

function callOf(calls: ReadonlyMap<string, Call>, callId: string): Call {
  const call = calls.get(callId);
  if (call === undefined) throw new Error(`no call ${callId}`);
  return call;
}

function readAll(pack: Pack, events: readonly Event[]): Calls {
  const calls = new Map<string, Call>();
  const [commits, ended]: [string[], string[]] = [[], []];
  for (const event of events) {
    if (event.kind === "allowed") {
      const atDispatch = commitsAtDispatch(pack, event.call.tool);
      calls.set(event.callId, {
        callId: event.callId,
        tool: event.call.tool,
        args: event.call.args,
        step: event.step,
        open: "running",
        effect: atDispatch ? "committed" : "pending",
        output: { kind: "unknown" },
      });
      if (atDispatch) commits.push(event.callId);
      if (atDispatch) ended.push(event.callId);
    }
    if (event.kind === "settled") {
      const before = callOf(calls, event.callId);
      const after = settle(before, event.end);
      calls.set(event.callId, after);
      if (before.effect !== "committed" && after.effect === "committed") commits.push(event.callId);
      if (before.effect === "pending" && isEnded(after)) ended.push(event.callId);
    }
    // Counted after all, but its place among the commits is not known.
    if (event.kind === "acknowledged" && event.happened) {
      calls.set(event.callId, { ...callOf(calls, event.callId), effect: "violated" });
      ended.push(event.callId);
    }
  }
  const all = [...calls.values()];
  const inOrder = (ids: readonly string[]) => ids.flatMap((callId) => all.filter((call) => call.callId === callId));
  return { all, commits: inOrder(commits), ended: inOrder(ended) };
}

function isEnded({ effect }: Call): boolean {
  return effect === "committed" || effect === "violated";
}

/** Calls that are not released: they fill limits and sums. */
export function isCounted({ effect }: Call): boolean {
  return effect !== "released";
}

export function isKilled(events: readonly Event[]): boolean {
  return events.some(({ kind }) => kind === "killed");
}

export function labelsOf(events: readonly Event[]): readonly string[] {
  return [...new Set(events.flatMap((event) => (event.kind === "label" ? [event.label] : [])))];
}

export function costsOf(events: readonly Event[]): readonly number[] {
  return events.flatMap((event) => (event.kind === "cost" ? [event.usd] : []));
}

/** How many steps were opened with `beginStep`. */
export function explicitSteps(events: readonly Event[]): number {
  return events.filter(({ kind }) => kind === "step").length;
}

/** The step that a call proposed now belongs to. */
export function currentStep(events: readonly Event[]): Step {
  const opened = explicitSteps(events);
  return opened === 0 ? "own" : opened;
}

/** Whether a call belongs to an earlier step than the one that is open now. */
export function isEarlier(call: Call, now: Step): boolean {
  return call.step === "own" || now === "own" || call.step < now;
}

/** Completed steps: explicit ones before the open one, and own steps of calls that surely happened. */
export function completedSteps(events: readonly Event[], { all }: Calls): number {
  const sure = all.filter(({ step, effect }) => step === "own" && (effect === "committed" || effect === "violated"));
  return Math.max(0, explicitSteps(events) - 1) + sure.length;
}

/** Blocks since the last allowed call that was not released: a release undoes the reset, for good. */
function blocksInARow(events: readonly Event[]): number {
  const isRelease = (event: Event) => event.kind === "settled" && event.end.kind === "released";
  const released = new Set(events.flatMap((event) => (isRelease(event) && "callId" in event ? [event.callId] : [])));
  let blocks = 0;
  for (const event of events) {
    if (event.kind === "blocked") blocks += 1;
    if (event.kind === "allowed" && !released.has(event.callId)) blocks = 0;
  }
  return blocks;
}

/** Unexpected errors since the last result that held. */
function errorsInARow(events: readonly Event[]): number {
  let errors = 0;
  for (const event of events) {
    if (event.kind === "error") errors += 1;
    if (event.kind === "success") errors = 0;
  }
  return errors;
}

/** Whether the circuit breaker opens. */
export function isBroken(pack: Pack, events: readonly Event[]): boolean {
  const breaker = pack.session?.session_limits?.circuit_breaker;
  const { consecutive_blocks: blocks, consecutive_errors: errors } = breaker ?? {};
  if (blocks !== undefined && blocksInARow(events) >= blocks) return true;
  return errors !== undefined && errorsInARow(events) >= errors;
}
