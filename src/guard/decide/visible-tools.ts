import type { Reason } from "../../artifact/reasons.js";
import { MOST_WORK, withinBudget, workDone } from "../../base/cost.js";
import type { Program, Tool } from "../program/program.js";
import { proposalOf } from "../program/proposal.js";
import type { VisibleTools } from "../public.js";
import type { Session } from "../session/session.js";
import { admit } from "./decide.js";

/** Why every call of a tool is refused, whatever its arguments; null if some call may be allowed. */
export function whyHidden(program: Program, session: Session, tool: Tool): Reason | null {
  return withinBudget<Reason | null>(
    () => blindRefusal(program, session, tool),
    () => "unjudgeable_cost",
  );
}

function blindRefusal(program: Program, session: Session, tool: Tool): Reason | null {
  const proposal = proposalOf(tool, {});
  for (const { blind } of tool.checks) {
    const refusal = blind?.(proposal, session, program) ?? null;
    if (refusal !== null) return refusal.reason;
  }
  return null;
}

/** The tools, of some, to offer the model now: those that no check refuses whatever the arguments. */
export function visibleTools(
  program: Program,
  session: Session,
  now: number,
  tools: Iterable<Tool> = program.tools.values(),
): VisibleTools {
  const admitted = admit(session, now);
  const visible: string[] = [];
  const hidden: { tool: string; reason: Reason }[] = [];
  const before = workDone();
  for (const tool of tools) {
    // All tools together may take as much work as one judgement; the results of policies are kept for the next time.
    const reason =
      admitted?.reason ?? (workDone() - before > MOST_WORK ? "unjudgeable_cost" : whyHidden(program, session, tool));
    if (reason === null) visible.push(tool.name);
    else hidden.push({ tool: tool.name, reason });
  }
  return { visible, hidden };
}
