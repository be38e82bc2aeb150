import { triggeredOf } from "../checks/checkpoint.js";
import { type Block, becauseIn, block, withBecause } from "../decide/verdict.js";
import type { Program, Proposal, Tool } from "../program/program.js";
import type { Checkpoints } from "../public.js";
import type { PendingApproval } from "../session/pending-approval.js";
import type { Session } from "../session/session.js";

/** Whether a checkpoint may ask later though it does not ask now: expressions read more than the arguments. */
function mayAskLater({ checkpoints }: Tool): boolean {
  return checkpoints.some(({ when }) => when?.some((condition) => "that" in condition));
}

/** Which checkpoints a request is for, where that may change while it is pending. */
export function askingOf(tool: Tool, checkpoints: Checkpoints): Pick<PendingApproval, "asking"> {
  return mayAskLater(tool) ? { asking: checkpoints.map((checkpoint) => tool.checkpoints.indexOf(checkpoint)) } : {};
}

/**
 * The refusal of a call that was approved, at a checkpoint that asks by now and did not when the approval was requested: nobody
 * was asked about that one. Null if there is none.
 */
export function uncovered(
  { asking }: PendingApproval,
  proposal: Proposal,
  judging: { readonly program: Program; readonly session: Session },
): Block | null {
  if (asking === undefined) return null;
  const { checkpoints } = proposal.tool;
  const other = triggeredOf(proposal, judging).find((checkpoint) => !asking.includes(checkpoints.indexOf(checkpoint)));
  if (other === undefined) return null;
  const refusal = block(
    "approval_mismatch",
    other.at,
    "an approval for this rule",
    "one for others, which asked earlier",
  );
  return withBecause(refusal, becauseIn(other).because);
}
