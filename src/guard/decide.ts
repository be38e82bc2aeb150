import { isTriggered } from "./checks/checkpoint.js";
import { surelyPasses } from "./field-test.js";
import type { Program } from "./program.js";
import type { Proposal, Session } from "./session.js";
import { ALLOW, type Block, block, type Decision } from "./verdict.js";

/**
 * The checks that do not hang on the tool. A call that was approved is not kept waiting by its own approval.
 * `now` is looked at only while an approval is pending.
 */
export function admit({ isKilled, killedWhy, approval }: Session, now: number, ownApproval?: string): Block | null {
  if (isKilled) return block("session_killed", null, "a session that lives", killedWhy);
  if (approval === null || approval.id === ownApproval || now >= approval.deadline) return null;
  return block("session_paused", null, "no pending approval", approval.id);
}

/**
 * Judges a call by everything but the state of the session as a whole and its checkpoints.
 * Invariant: lowering sorted `checks` into the documented order; the first refusal wins.
 */
export function judge(program: Program, session: Session, proposal: Proposal): Block | null {
  for (const { test, run } of proposal.tool.checks) {
    if (test !== null && surelyPasses(test, proposal.values)) continue;
    const refused = run(proposal, session, program);
    if (refused !== null) return refused;
  }
  return null;
}

/** The whole decision. Pure and synchronous, so that a recorded session replays to the same verdicts. */
export function decide(program: Program, session: Session, proposal: Proposal, now: number): Decision {
  const refused = admit(session, now) ?? judge(program, session, proposal);
  if (refused !== null) return refused;
  const { checkpoints } = proposal.tool;
  if (checkpoints.length === 0) return ALLOW;
  const triggered = checkpoints.filter((check) => isTriggered(check, proposal, program.env));
  return triggered.length === 0 ? ALLOW : { kind: "needs_approval", checkpoints: triggered };
}

/** Every check that refuses the call, in their order. */
export function explainAll(program: Program, session: Session, proposal: Proposal, now: number): readonly Block[] {
  const refusals = proposal.tool.checks.map((check) => check.run(proposal, session, program));
  return [admit(session, now), ...refusals].filter((refusal): refusal is Block => refusal !== null);
}
