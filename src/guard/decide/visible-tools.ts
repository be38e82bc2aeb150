import type { Reason } from "../../artifact/reasons.js";
import { CostExceeded, closeCounted, MOST_WORK, openBudget, workDone } from "../../base/cost.js";
import type { JsonObject } from "../../base/json.js";
import type { FieldValues } from "../program/argument-fields.js";
import type { Program, Proposal, Tool } from "../program/program.js";
import type { VisibleTools } from "../public.js";
import type { Session } from "../session/session.js";
import { admit } from "./decide.js";
import type { Block } from "./verdict.js";

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
  const runs = glance === "blind" ? tool.glances.blind : tool.glances.surely;
  if (runs.length === 0) return null;
  // Nothing is known of the arguments, and neither kind of check depends on them.
  const proposal: Proposal = { kind: "call", tool, args: {}, values: NO_VALUES, now: 0 };
  for (const run of runs) {
    const refusal = run(proposal, session, program);
    if (refusal !== null) return refusal.reason;
  }
  return null;
}

/** The tools to offer the model now: those that no check refuses whatever the arguments. */
export function visibleTools(program: Program, session: Session, now: number): VisibleTools {
  return glanceAt(program.tools.values(), admit(session, now), (tool) => whyHidden(program, session, tool));
}

/** What a hint depends on besides the session. */
export interface Outlook {
  readonly now: number;
  /** False if every call that a checkpoint asks about is denied. */
  readonly hasApprover: boolean;
  /** The approval that the decision ends: the session does not wait for it any more. */
  readonly endedApproval: string | undefined;
  /** A call as it would be proposed; null if it could not be judged. */
  readonly proposed: (tool: string, args: JsonObject) => Proposal | null;
}

/** The tools, of some, of which a call may be allowed now, and why the others are refused. */
export function callableTools(
  program: Program,
  session: Session,
  { now, hasApprover, endedApproval }: Outlook,
  tools: Iterable<Tool>,
): VisibleTools {
  return glanceAt(tools, admit(session, now, endedApproval), (tool) =>
    whyUncallable(program, session, tool, hasApprover),
  );
}

/** The names alone of the tools of which a call may be allowed now: hints need no more, and are written often. */
export function callableNames(program: Program, session: Session, outlook: Outlook): readonly string[] {
  const names: string[] = [];
  if (admit(session, outlook.now, outlook.endedApproval) !== null) return names;
  const before = workDone();
  for (const tool of program.tools.values()) {
    if (workDone() - before > MOST_WORK) break;
    if (whyUncallable(program, session, tool, outlook.hasApprover) === null) names.push(tool.name);
  }
  return names;
}

function whyUncallable(program: Program, session: Session, tool: Tool, hasApprover: boolean): Reason | null {
  const reason = whyHidden(program, session, tool, "surely");
  if (reason !== null || hasApprover) return reason;
  return tool.checkpoints.some(({ when }) => when === null) ? "approval_denied" : null;
}

function glanceAt(
  tools: Iterable<Tool>,
  refused: Block | null,
  whyRefused: (tool: Tool) => Reason | null,
): VisibleTools {
  const visible: string[] = [];
  const hidden: { tool: string; reason: Reason }[] = [];
  const before = workDone();
  for (const tool of tools) {
    // All tools together may take as much work as one judgement; the results of policies are kept for the next time.
    const reason = refused?.reason ?? (workDone() - before > MOST_WORK ? "unjudgeable_cost" : whyRefused(tool));
    if (reason === null) visible.push(tool.name);
    else hidden.push({ tool: tool.name, reason });
  }
  return { visible, hidden };
}
