import { lastWork, MOST_WORK, sharingBudget, withinShare, workDone, workLeft } from "../../base/cost.js";
import { judge } from "../../guard/decide/decide.js";
import type { Block } from "../../guard/decide/verdict.js";
import type { Program, Proposal } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { cut, isBeyond } from "./caps.js";

/** The work of all calls that `judgeCounted` judged; searches are synchronous, so that one sum is enough. */
let judged = 0;

/** The guard's verdict on a call; its work counts for `workSoFar`. */
export function judgeCounted(program: Program, session: Session, proposal: Proposal): Block | null {
  const block = judge(program, session, proposal);
  judged += lastWork();
  return block;
}

/** How much work judging took so far, in the units of the guard's budget; only differences are meaningful. */
export function workSoFar(): number {
  return judged + workDone();
}

/**
 * Runs checks of one call within the guard's budget, which is not in force where checks are run one by one. Null if they take so much of
 * it that the guard, which shares one budget among all checks, may answer differently.
 */
export function withinWork<T>(run: () => T): T | null {
  return sharingBudget(() =>
    withinShare<T | null>(
      () => {
        const result = run();
        return isBeyond(MOST_WORK - workLeft(), "call_work") ? null : result;
      },
      () => {
        cut("call_work");
        return null;
      },
    ),
  );
}
