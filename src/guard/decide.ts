import { unreachable } from "../base/invariant.js";
import { aggregate } from "./checks/aggregate.js";
import { capture, derivedInvariant, invariant, schema } from "./checks/arguments.js";
import { isTriggered } from "./checks/checkpoint.js";
import { envelope } from "./checks/envelope.js";
import { forbiddenBy } from "./checks/forbidden-by.js";
import { gate } from "./checks/gate.js";
import { labelGate } from "./checks/label-gate.js";
import { maxCallsPerTool, maxCost, maxSteps, maxToolCalls } from "./checks/limits.js";
import { loopDetection } from "./checks/loop-detection.js";
import { phase } from "./checks/phase.js";
import { policy } from "./checks/policy.js";
import { precondition } from "./checks/precondition.js";
import { ref } from "./checks/ref.js";
import type { Check, Program } from "./program.js";
import type { Proposal, Session } from "./session.js";
import { ALLOW, type Block, block, type Decision } from "./verdict.js";

/** The checks that do not hang on the tool. A call that was approved is not kept waiting by its own approval. */
export function admit({ killed, approval }: Session, now: number, ownApproval?: string): Block | null {
  if (killed !== null) return block("session_killed", null, "a session that lives", killed);
  if (approval === null || approval.id === ownApproval || now >= approval.deadline) return null;
  return block("session_paused", null, "no pending approval", approval.id);
}

/** Runs one check; null lets the call pass on to the next. */
export function runCheck(check: Check, proposal: Proposal, session: Session, program: Program): Block | null {
  switch (check.kind) {
    case "gate":
      return gate(check);
    case "policy":
      return policy(check, program);
    case "label_gate":
      return labelGate(check, session);
    case "phase":
      return phase(check, session, program);
    case "forbidden_by":
      return forbiddenBy(check, session);
    case "precondition":
      return precondition(check, proposal, session);
    case "max_steps":
      return maxSteps(check, session);
    case "max_tool_calls":
      return maxToolCalls(check, session);
    case "max_calls_per_tool":
      return maxCallsPerTool(check, proposal, session);
    case "max_cost":
      return maxCost(check, session);
    case "loop_detection":
      return loopDetection(check, proposal, session);
    case "schema":
      return schema(check, proposal);
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return invariant(check, proposal, program.env);
    case "derived_invariant":
      return derivedInvariant(check, proposal, program.env);
    case "ref":
      return ref(check, proposal, session);
    case "capture":
      return capture(check, proposal);
    case "aggregate":
      return aggregate(check.index, proposal, session, program);
    case "envelope":
      return envelope(check.index, proposal, session, program);
    case "checkpoint":
      return null; // Asked for by `decide` once nothing else refuses the call.
    default:
      return unreachable(check);
  }
}

/**
 * Judges a call by everything but the state of the session as a whole and its checkpoints.
 * Invariant: lowering sorted `checks` into the documented order; the first refusal wins.
 */
export function judge(program: Program, session: Session, proposal: Proposal): Block | null {
  for (const check of proposal.tool.checks) {
    const refused = runCheck(check, proposal, session, program);
    if (refused !== null) return refused;
  }
  return null;
}

/** The whole decision. Pure and synchronous, so that a recorded session replays to the same verdicts. */
export function decide(program: Program, session: Session, proposal: Proposal): Decision {
  const refused = admit(session, proposal.now) ?? judge(program, session, proposal);
  if (refused !== null) return refused;
  const { checkpoints } = proposal.tool;
  if (checkpoints.length === 0) return ALLOW;
  const triggered = checkpoints.filter((check) => isTriggered(check, proposal, program.env));
  return triggered.length === 0 ? ALLOW : { kind: "needs_approval", checkpoints: triggered };
}

/** Every check that refuses the call, in their order. */
export function explainAll(program: Program, session: Session, proposal: Proposal): readonly Block[] {
  const admitted = admit(session, proposal.now);
  const refusals = proposal.tool.checks.map((check) => runCheck(check, proposal, session, program));
  return [admitted, ...refusals].filter((refusal): refusal is Block => refusal !== null);
}
