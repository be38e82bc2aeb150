import { advance } from "../guard/advance.js";
import { judge } from "../guard/decide.js";
import { newSession, proposalOf, type Session } from "../guard/session.js";
import { Moves } from "./moves.js";
import type { PackUnderTest } from "./pack-under-test.js";
import type { Action, Plan } from "./plan.js";
import { perform, signalOf } from "./search.js";

/** Calls of the tool that ends a plan, each failing, until so many have; null where they run out before. */
export function failures(under: PackUnderTest, start: Plan, most: number): Plan | null {
  const last = start.actions.at(-1);
  if (last?.kind !== "call") return null;
  const program = under.slice(under.influence.on([last.tool]), start.principal);
  const moves = new Moves(program, under.library);
  const tool = program.tools.get(last.tool);
  if (tool === undefined) return null;
  const actions: Action[] = [];
  let session: Session = newSession(program);
  const failed = { kind: "failed" } as const;
  const before = start.actions.slice(0, -1);
  for (const action of before) {
    if (action.kind === "settle") return null;
    if (action.kind !== "call") {
      advance(program, session, signalOf(action));
      continue;
    }
    const called = program.tools.get(action.tool);
    if (called === undefined) return null;
    session = perform(program, session, proposalOf(called, action.args), action.outcome).session;
  }
  // The loop detection counts calls that failed too, so the same one cannot be made over and over.
  while (actions.length < most) {
    const calls = [...moves.likely(tool, session), ...moves.fresh(tool, session, actions.length + 1)];
    const call = calls.find((proposal) => judge(program, session, proposal) === null);
    if (call === undefined) return null;
    session = perform(program, session, call, failed).session;
    actions.push({ kind: "call", tool: tool.name, args: call.args, outcome: failed });
  }
  return { ...start, actions: [...before, ...actions, last] };
}
