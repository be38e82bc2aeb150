import { CostExceeded, closeBudget, openBudget, withinBudget } from "../../base/cost.js";
import { isTriggered } from "../checks/checkpoint.js";
import { judgeField } from "../program/field-test.js";
import type { Program, Proposal } from "../program/program.js";
import type { Session } from "../session/session.js";
import { ALLOW, type Block, block, type Decision, tooCostly, withBecause } from "./verdict.js";

/**
 * The checks that do not depend on the tool. An approved call does not wait for its own approval. `now` matters only while an
 * approval is pending.
 */
export function admit(session: Session, now: number, ownApproval?: string): Block | null {
  const over = ended(session);
  if (over !== null) return over;
  if (session.late.size > 0) return lateResult(session.late);
  return paused(session, now, ownApproval);
}

/** The refusal of everything after a kill, which acts in every mode; null before it. */
export function ended({ isKilled, killedWhy }: Session): Block | null {
  return isKilled ? block("session_killed", null, "a session that has not ended", killedWhy) : null;
}

/** The refusal of a call while the approval of another one is pending; null if none is. */
export function paused({ approval }: Session, now: number, ownApproval?: string): Block | null {
  if (approval === null || approval.id === ownApproval || now >= approval.deadline) return null;
  return block("session_paused", null, "no pending approval", approval.id);
}

/** What a call did that was settled as not happened is not counted, so nothing can be judged. */
export function lateResult(late: ReadonlySet<string>): Block {
  const required = "every late result acknowledged";
  return block("late_result_unacknowledged", null, required, [...late].slice(0, 5).join(", "));
}

/**
 * Judges a call by everything but the state of the session as a whole and its checkpoints, within one budget of work.
 * Invariant: lowering sorted `checks` into the documented order; the first refusal wins.
 */
export function judge(program: Program, session: Session, proposal: Proposal): Block | null {
  const { tool, values } = proposal;
  const { checks } = tool;
  const outer = openBudget();
  let refused: Block | null = null;
  let at = 0;
  try {
    // By index: `for of` takes three times the bytecode, which is then not inlined.
    for (; at < checks.length && refused === null; at++) {
      const check = checks[at];
      if (check === undefined) continue;
      const quick = check.test === null ? null : judgeField(check.test, values);
      if (quick !== true) refused = (quick === null ? check.run : check.refuse)(proposal, session, program);
    }
  } catch (cause) {
    // Without `finally`, which costs 10 ns of the 200 that deciding takes.
    closeBudget(outer);
    if (cause instanceof CostExceeded) return withBecause(tooCostly(checks[at]?.at ?? null), checks[at]?.because);
    throw cause;
  }
  closeBudget(outer);
  return refused === null ? null : withBecause(refused, checks[at - 1]?.because);
}

/** The whole decision. Pure and synchronous, so that a recorded session replays to the same verdicts. */
export function decide(program: Program, session: Session, proposal: Proposal, now: number): Decision {
  const refused = admit(session, now) ?? judge(program, session, proposal);
  if (refused !== null) return refused;
  return proposal.tool.checkpoints.length === 0 ? ALLOW : atCheckpoints(program, session, proposal);
}

/** The decision of the checkpoints on a call that nothing else refuses. */
export function atCheckpoints(program: Program, session: Session, proposal: Proposal): Decision {
  const { checkpoints } = proposal.tool;
  return withinBudget<Decision>(
    () => {
      const triggered = checkpoints.filter((check) => isTriggered(check, proposal, { program, session }));
      return triggered.length === 0 ? ALLOW : { kind: "needs_approval", checkpoints: triggered };
    },
    () => tooCostly(checkpoints[0]?.at ?? null),
  );
}

/**
 * Every check of a tool that refuses the call, in their order, without checkpoints. They share the budget of a decision; once it
 * is used up, checks that need none of it are still reported.
 */
export function explainAll(program: Program, session: Session, proposal: Proposal): readonly Block[] {
  const refusals: (Block | null)[] = [];
  const outer = openBudget();
  let isUsedUp = false;
  try {
    for (const { at, because, run } of proposal.tool.checks) {
      try {
        const refused = run(proposal, session, program);
        refusals.push(refused === null ? null : withBecause(refused, because));
      } catch (cause) {
        if (!(cause instanceof CostExceeded)) throw cause;
        if (!isUsedUp) refusals.push(withBecause(tooCostly(at), because));
        isUsedUp = true;
      }
    }
  } finally {
    closeBudget(outer);
  }
  return refusals.filter((refusal): refusal is Block => refusal !== null);
}
