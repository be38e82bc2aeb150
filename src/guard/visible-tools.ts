import type { Reason } from "../artifact/reasons.js";
import { admit, runCheck } from "./decide.js";
import type { Check, Program, Tool } from "./program.js";
import type { VisibleTools } from "./public.js";
import type { Session } from "./session.js";

/** Whether a check gives the same answer for all arguments. */
function ignoresArguments(check: Check, program: Program): boolean {
  switch (check.kind) {
    case "gate":
    case "policy":
    case "label_gate":
    case "phase":
    case "forbidden_by":
    case "max_steps":
    case "max_calls_per_tool":
    case "max_cost":
      return true;
    case "max_tool_calls":
      // In the mode `block` the refusal itself tells the model.
      return program.pack.narrows_at_cap;
    case "precondition":
      return true;
    case "aggregate":
      return program.aggregates[check.index]?.metric === "count";
    default:
      return false;
  }
}

/** The part of a check that does not look at arguments. */
function partOf(check: Check): Check {
  // Which entity is meant is not known yet, but how many steps there were is.
  return check.kind === "precondition" && check.watch?.resource ? { ...check, watch: null } : check;
}

function whyHidden(program: Program, session: Session, tool: Tool): Reason | null {
  const proposal = { tool, args: {}, now: 0, contributions: [] };
  for (const check of tool.checks) {
    const refusal = ignoresArguments(check, program) ? runCheck(partOf(check), proposal, session, program) : null;
    if (refusal !== null) return refusal.reason;
  }
  return null;
}

/** What the model should be offered now: no tool that a check refuses whatever the arguments. */
export function visibleTools(program: Program, session: Session, now: number): VisibleTools {
  const admitted = admit(session, now);
  const visible: string[] = [];
  const hidden: { tool: string; reason: Reason }[] = [];
  for (const tool of program.tools.values()) {
    const reason = admitted?.reason ?? whyHidden(program, session, tool);
    if (reason === null) visible.push(tool.name);
    else hidden.push({ tool: tool.name, reason });
  }
  return { visible, hidden };
}
