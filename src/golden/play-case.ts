import type { Artifact } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import type { GivenSession, GoldenCase, HistoryCall } from "../artifact/golden-case.js";
import { invariant } from "../base/invariant.js";
import { isUnsetVariable } from "../guard/decide/found.js";
import { becauseIn } from "../guard/decide/verdict.js";
import type { Guard } from "../guard/guard-api.js";
import type { BlockVerdict, Clock, Verdict } from "../guard/public.js";
import type { Outcome } from "../guard/session/outcome.js";
import { createStagedGuard, type StagedGuard } from "../guard/staged-guard.js";
import { type Actual, meets, type PlayedCase, type Refused } from "./played-case.js";

/** Whose cases are played, and in which environment. */
export interface Playing {
  readonly artifact: Artifact;
  /** Undefined for the artifact's own pack. */
  readonly role: string | undefined;
  readonly needsPrincipal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly observer?: Observer;
}

/** Told of what guards do not report to their listeners. */
export interface Observer {
  /** A guard, before it decides anything. */
  began(guard: Guard): void;
  /** The outcome with which a call is about to be settled. */
  settling(outcome: Outcome): void;
  /** A step that was refused, and the rule. */
  stepRefused(rule: Place | null): void;
  /** A test is over; of several guards that were made for it the last one counts. */
  ended(): void;
}

/** Several observers as one. */
export function observedBy(all: readonly Observer[]): Observer {
  const tell = (what: (observer: Observer) => void) => {
    for (const each of all) what(each);
  };
  return {
    began: (guard) => tell((each) => each.began(guard)),
    settling: (outcome) => tell((each) => each.settling(outcome)),
    stepRefused: (rule) => tell((each) => each.stepRefused(rule)),
    ended: () => tell((each) => each.ended()),
  };
}

export function refusedBy(verdict: BlockVerdict): Refused {
  const { reason, rule = null, required = "", found = "", hint = null } = verdict;
  return { reason, rule, required, found, hint, ...becauseIn(verdict) };
}

export type NotStarted = Actual & { readonly kind: "not_started" };

/** No guard starts with a variable unset that a rule compares with, so that none gives this refusal. */
function notStarted(why: string): NotStarted {
  return { kind: "not_started", why, help: "set the variable where the cases are played" };
}

/** A guard for one case or scenario, or why it does not start. */
async function stagedGuard(
  { artifact, role, env, observer, needsPrincipal }: Playing,
  given: GivenSession,
  clock: Clock,
): Promise<StagedGuard | NotStarted> {
  if (needsPrincipal && given.principal === null) {
    return { kind: "not_started", why: "this pack has rules about the principal", help: "give `given.principal`" };
  }
  const options = {
    env,
    // To distinguish a call that needs an approval from one that is refused.
    approver: "manual" as const,
    clock,
    ...(given.principal === null ? {} : { principal: given.principal }),
    ...(role === undefined ? {} : { role }),
  };
  try {
    const staged = await createStagedGuard(artifact, options, given);
    observer?.began(staged.guard);
    return staged;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown";
    return { kind: "not_started", why, help: "correct `given` of the case" };
  }
}

/** A call of the history has happened, so an approval that it needed was given. */
async function approved(guard: Guard, verdict: Verdict): Promise<Verdict> {
  if (verdict.kind !== "approval_required") return verdict;
  const answered = await guard.approve(verdict.approvalId, { by: "golden case" });
  invariant(answered.kind !== "recorded", "the guard that proposed the call judges it again");
  return answered;
}

/** The guard that a history is replayed on. */
interface Replaying {
  readonly guard: Guard;
  readonly observer: Observer | undefined;
}

/** Replays a call of the history; returns the refusal of the guard, or null. */
async function replay({ guard, observer }: Replaying, call: HistoryCall, number: number): Promise<Actual | null> {
  const { tool, args, output } = call;
  const verdict = await approved(guard, await guard.propose({ tool, args }));
  if (verdict.kind === "block") {
    return { kind: "history_refused", call, number, refuses: "call", ...refusedBy(verdict) };
  }
  // A case without an output leaves it unknown: there is none to judge.
  const outcome = output === undefined ? ({ kind: "happened" } as const) : ({ kind: "result", output } as const);
  observer?.settling(outcome);
  const { accepted, violation } = await guard.settle(verdict.callId, outcome);
  invariant(accepted, "a call that was just allowed can be settled");
  if (violation === undefined) return null;
  return { kind: "history_refused", call, number, refuses: "output", hint: null, ...violation };
}

/** Replays a history; returns the refusal of the guard, or null. */
async function replayAll(replaying: Replaying, history: readonly HistoryCall[]): Promise<Actual | null> {
  for (const [index, call] of history.entries()) {
    const refused = await replay(replaying, call, index + 1);
    if (refused !== null) return refused;
  }
  return null;
}

/** A verdict as the report of a case shows it. */
export function actualOf(verdict: Verdict): Actual {
  switch (verdict.kind) {
    case "allow":
      return { kind: "allow" };
    case "approval_required":
      return { kind: "approval_required", rule: verdict.rules[0] ?? null, ...becauseIn(verdict) };
    case "block": {
      const refused = refusedBy(verdict);
      return isUnsetVariable(refused.found) ? notStarted(refused.found) : { kind: "block", ...refused };
    }
  }
}

/** A guard whose history begins in a new session, or in the given phase with the given bindings. */
async function begunIn(
  playing: Playing,
  given: GivenSession,
  { begins, clock }: { readonly begins: "new" | "given"; readonly clock: Clock },
): Promise<Guard | Actual> {
  const staged = await stagedGuard(playing, given, clock);
  if ("kind" in staged) return staged;
  const { guard, enter } = staged;
  if (begins === "given") enter();
  const refused = await replayAll({ guard, observer: playing.observer }, given.history);
  if (refused !== null) return refused;
  enter();
  for (const label of given.labels) await guard.addLabel(label);
  return guard;
}

/** A guard in the session that a test begins with, or why there is none. */
export async function begun(playing: Playing, given: GivenSession, clock: Clock): Promise<Guard | Actual> {
  const { phase, bindings } = given;
  const first = await begunIn(playing, given, { begins: "new", clock });
  const isRefused = "kind" in first && first.kind === "history_refused";
  if (!isRefused || (phase === null && bindings.size === 0)) return first;
  // No session begins like this, but the history may have happened after the given phase and bindings were reached.
  const since = await begunIn(playing, given, { begins: "given", clock });
  // The attempt that got further says more about what is wrong.
  return "kind" in since && since.kind === "history_refused" && since.number <= first.number ? first : since;
}

async function actualFor(playing: Playing, { given, tool, args }: GoldenCase): Promise<Actual> {
  const guard = await begun(playing, given, { now: () => given.now });
  return "kind" in guard ? guard : actualOf(await guard.propose({ tool, args }));
}

/** Plays one golden case on a guard of its own. */
export async function playCase(playing: Playing, golden: GoldenCase): Promise<PlayedCase> {
  const actual = await actualFor(playing, golden);
  playing.observer?.ended();
  return { golden, ok: meets(golden, actual), actual };
}
