import type { Reason } from "../artifact/reasons.js";
import type { Json } from "../base/json.js";
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
      return check.watch === null || check.watch.resource === null;
    case "aggregate":
      return program.aggregates[check.index]?.metric === "count";
    default:
      return false;
  }
}

function whyHidden(program: Program, session: Session, tool: Tool, principal: Json | null): Reason | null {
  const proposal = { tool, args: {}, principal, contributions: [] };
  for (const check of tool.checks) {
    const refusal = ignoresArguments(check, program) ? runCheck(check, proposal, session, program) : null;
    if (refusal !== null) return refusal.reason;
  }
  return null;
}

/** What the model should be offered now: no tool that a check refuses whatever the arguments. */
export function visibleTools(program: Program, session: Session, principal: Json | null): VisibleTools {
  const admitted = admit(session);
  const visible: string[] = [];
  const hidden: { tool: string; reason: Reason }[] = [];
  for (const tool of program.tools.values()) {
    const reason = admitted?.reason ?? whyHidden(program, session, tool, principal);
    if (reason === null) visible.push(tool.name);
    else hidden.push({ tool: tool.name, reason });
  }
  return { visible, hidden };
}
