import type { Reason } from "../../artifact/reasons.js";
import { CostExceeded, closeCounted, MOST_WORK, openBudget, workDone } from "../../base/cost.js";
import type { FieldValues } from "../program/argument-fields.js";
import type { Program, Proposal, Tool } from "../program/program.js";
import type { VisibleTools } from "../public.js";
import type { Session } from "../session/session.js";
import { admit } from "./decide.js";

/** `blind` decides what is hidden from the model; `surely` is for hints, which must not ask for a call that is refused. */
type Glance = "blind" | "surely";

/** Why every call of a tool is refused, whatever its arguments; null if some call may be allowed. */
export function whyHidden(program: Program, session: Session, tool: Tool, glance: Glance = "blind"): Reason | null {
  // Without closures: the hint of a refusal may ask this of every tool.
  const outer = openBudget();
  try {
    return blindRefusal(program, session, tool, glance);
  } catch (cause) {
    if (cause instanceof CostExceeded) return "unjudgeable_cost";
    throw cause;
  } finally {
    closeCounted(outer);
  }
}

const NO_VALUES: FieldValues = Object.freeze([]);

function blindRefusal(program: Program, session: Session, tool: Tool, glance: Glance): Reason | null {
  const { checks } = tool;
  // Nothing is known of the arguments, and neither kind of check depends on them.
  const proposal: Proposal = { kind: "call", tool, args: {}, values: NO_VALUES };
  for (let at = 0; at < checks.length; at++) {
    const refusal = checks[at]?.[glance]?.(proposal, session, program) ?? null;
    if (refusal !== null) return refusal.reason;
  }
  return null;
}

/** The tools to offer the model now: those that no check refuses whatever the arguments. */
export function visibleTools(program: Program, session: Session, now: number): VisibleTools {
  return glanceAt(program, session, now, program.tools.values(), "blind");
}

/** The tools, of some, of which a call may be allowed now, and why the others are refused. */
export function callableTools(
  program: Program,
  session: Session,
  now: number,
  tools: Iterable<Tool> = program.tools.values(),
): VisibleTools {
  return glanceAt(program, session, now, tools, "surely");
}

function glanceAt(
  program: Program,
  session: Session,
  now: number,
  tools: Iterable<Tool>,
  glance: Glance,
): VisibleTools {
  const admitted = admit(session, now);
  const visible: string[] = [];
  const hidden: { tool: string; reason: Reason }[] = [];
  const before = workDone();
  for (const tool of tools) {
    // All tools together may take as much work as one judgement; the results of policies are kept for the next time.
    const reason =
      admitted?.reason ??
      (workDone() - before > MOST_WORK ? "unjudgeable_cost" : whyHidden(program, session, tool, glance));
    if (reason === null) visible.push(tool.name);
    else hidden.push({ tool: tool.name, reason });
  }
  return { visible, hidden };
}
