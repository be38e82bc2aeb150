import type { Reason } from "../../artifact/reasons.js";
import { CostExceeded, closeCounted, MOST_WORK, openBudget, workDone } from "../../base/cost.js";
import type { FieldValues } from "../program/argument-fields.js";
import type { Program, Proposal, Tool } from "../program/program.js";
import type { VisibleTools } from "../public.js";
import type { Session } from "../session/session.js";
import { admit } from "./decide.js";

/** Why every call of a tool is refused, whatever its arguments; null if some call may be allowed. */
export function whyHidden(program: Program, session: Session, tool: Tool): Reason | null {
  // Without closures: the hint of a refusal may ask this of every tool.
  const outer = openBudget();
  try {
    return blindRefusal(program, session, tool);
  } catch (cause) {
    if (cause instanceof CostExceeded) return "unjudgeable_cost";
    throw cause;
  } finally {
    closeCounted(outer);
  }
}

const NO_VALUES: FieldValues = Object.freeze([]);

function blindRefusal(program: Program, session: Session, tool: Tool): Reason | null {
  const { checks } = tool;
  // Nothing is known of the arguments, and no blind check looks at them.
  const proposal: Proposal = { kind: "call", tool, args: {}, values: NO_VALUES };
  for (let at = 0; at < checks.length; at++) {
    const refusal = checks[at]?.blind?.(proposal, session, program) ?? null;
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
