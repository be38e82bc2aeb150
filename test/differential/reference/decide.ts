import type { Checkpoint } from "../../../src/language/schema/shared.js";
import { argumentChecks } from "./argument-checks.js";
import { type Check, plainCheck, reasonOf, type Situation, wordsOf } from "./check.js";
import { expressionOf, judgeIn, worldsFor } from "./expressions.js";
import { isKilled } from "./history.js";
import { closes } from "./judge.js";
import { hasLateResult } from "./late-results.js";
import { limitChecks } from "./limit-checks.js";
import type { Reason, Visibility } from "./model.js";
import { orderChecks } from "./order-checks.js";
import { isPaused } from "./requests.js";
import { requirementChecks } from "./requirements.js";
import { valueChecks } from "./value-checks.js";

/** What is decided about a call. */
export type Decision =
  | { readonly kind: "allow" }
  | { readonly kind: "block"; readonly reason: Reason; readonly because: string | undefined }
  | {
      readonly kind: "ask";
      readonly timeoutSeconds: number;
      readonly onTimeout: "allow" | "deny";
      readonly because: string | undefined;
      readonly asking: readonly Checkpoint[];
    };

/** Check 1, then all the others in their order but for the checkpoints. */
function* checks(situation: Situation): Generator<Check> {
  const { options, events, contract } = situation;
  yield* refused(true, () => options.seat?.ended());
  yield plainCheck("session_killed", true, () => !isKilled(events));
  yield plainCheck("late_result_unacknowledged", true, () => !hasLateResult(events));
  yield plainCheck("session_paused", true, () => !isPaused(events, options.clock.now()));
  yield plainCheck("unmatched_tool", true, () => contract !== null || options.unmatched === "allow");
  yield* orderChecks(situation);
  yield* limitChecks(situation);
  yield* argumentChecks(situation);
  yield* requirementChecks(situation);
  yield* valueChecks(situation);
  yield* refused(true, () => options.seat?.callLimit());
  yield* refused(false, () => options.seat?.conflict({ tool: situation.tool, args: situation.args }));
}

/** What the workflow of the session says, where it refuses. */
function* refused(hides: boolean, judge: () => Reason | null | undefined): Generator<Check> {
  const reason = judge() ?? null;
  if (reason !== null) yield plainCheck(reason, hides, () => false);
}

type Condition = Exclude<Checkpoint["when"], "always">[number];

/** Whether a condition may hold: one matched value is enough, or one world, and what cannot be judged holds. */
function mayHold(situation: Situation, condition: Condition, by: string | null): boolean {
  if ("path" in condition) return closes(condition, situation.args, {});
  const that = expressionOf(condition) ?? "";
  const worlds = worldsFor(situation.pack, situation.calls, { that, by });
  return worlds.some((world) => judgeIn(situation, { that, by }, world) !== "false");
}

/** Whether a checkpoint asks about the call; `by` is the tool that has it, or null for the session. */
function asks(situation: Situation, checkpoint: Checkpoint, by: string | null): boolean {
  const { contract } = situation;
  const { when, when_side_effect: only, match } = checkpoint;
  if (only !== undefined && only !== contract?.side_effect) return false;
  if (when === "always") return true;
  const met = when.map((condition) => mayHold(situation, condition, by));
  return match === "all" ? met.every(Boolean) : met.some(Boolean);
}

/** The checkpoints that ask about the call now. */
function askingOn(situation: Situation): readonly Checkpoint[] {
  const { pack, tool, contract } = situation;
  const session = (pack.session?.checkpoints ?? []).filter((entry) => entry.tool === "*" || entry.tool === tool);
  const own = contract?.checkpoint === undefined ? [] : [contract.checkpoint];
  return [
    ...own.filter((checkpoint) => asks(situation, checkpoint, tool)),
    ...session.filter((checkpoint) => asks(situation, checkpoint, null)),
  ];
}

/** Check 16: one request for all checkpoints on the call: the shortest deadline, and deny if any says deny. */
function checkpointOn(situation: Situation): Decision {
  const asking = askingOn(situation);
  const { options } = situation;
  if (asking.length === 0) return { kind: "allow" };
  // Of several ones the first that has any, the tool's before the session's.
  const because = asking.map(wordsOf).find((words) => words !== undefined);
  if (options.approver === null) return { kind: "block", reason: "approval_denied", because };
  return {
    kind: "ask",
    timeoutSeconds: Math.min(...asking.map(({ timeout_seconds }) => timeout_seconds)),
    onTimeout: asking.every(({ on_timeout }) => on_timeout === "allow") ? "allow" : "deny",
    because,
    asking,
  };
}

/**
 * The first check that does not pass in every world names the reason; checkpoints come last. Those that somebody was asked for
 * are not asked again, and others cannot be.
 */
export function decide(situation: Situation, answered: readonly Checkpoint[] | null): Decision {
  for (const check of checks(situation)) {
    const reason = reasonOf(check, situation);
    if (reason !== null) return { kind: "block", reason, because: check.because };
  }
  if (answered === null) return checkpointOn(situation);
  const isCovered = askingOn(situation).every((checkpoint) => answered.includes(checkpoint));
  return isCovered ? { kind: "allow" } : { kind: "block", reason: "approval_mismatch", because: undefined };
}

/** The reason that hides a tool now, or null: the first check in order that fails and looks at no arguments. */
function hiddenBy(situation: Situation): Reason | null {
  for (const check of checks(situation)) {
    const reason = check.hides ? reasonOf(check, situation) : null;
    if (reason !== null) return reason;
  }
  return null;
}

/** Which tools of the pack can be offered now. */
export function visibleTools(situations: readonly Situation[]): Visibility {
  const judged = situations.map((situation) => ({ tool: situation.tool, reason: hiddenBy(situation) }));
  return {
    visible: judged.flatMap(({ tool, reason }) => (reason === null ? [tool] : [])),
    hidden: judged.flatMap(({ tool, reason }) => (reason === null ? [] : [{ tool, reason }])),
  };
}
