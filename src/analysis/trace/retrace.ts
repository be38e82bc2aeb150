import { judge } from "../../guard/decide/decide.js";
import type { Program } from "../../guard/program/program.js";
import { newSession } from "../../guard/session/session.js";
import { mayBeginStep } from "../search/further-step.js";
import { perform, signalled, type Visit } from "../search/search.js";
import { proposalIn } from "../state/clock.js";
import type { Action } from "./plan.js";

function follow({ node, session: before }: Visit, action: Action, program: Program): Visit | null {
  const next = { parent: node, action, depth: node.depth + 1 };
  if (action.kind === "settle") return null;
  if (action.kind === "step" && !mayBeginStep(program, before)) return null;
  if (action.kind !== "call") {
    return { node: next, session: signalled(program, before, action) };
  }
  const tool = program.tools.get(action.tool);
  const proposal = tool === undefined ? null : proposalIn(before, tool, action.args);
  if (proposal === null || judge(program, before, proposal) !== null) return null;
  return { node: next, session: perform(program, before, proposal, action.outcome).session };
}

/** The state after actions under a program; null if it refuses one of them, a call or a step, or if one settles an earlier call. */
export function retrace(program: Program, actions: readonly Action[]): Visit | null {
  let visit: Visit | null = { node: { parent: null, action: null, depth: 0 }, session: newSession(program) };
  for (const action of actions) visit = visit === null ? null : follow(visit, action, program);
  return visit;
}
