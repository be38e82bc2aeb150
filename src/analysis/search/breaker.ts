import { judge } from "../../guard/decide/decide.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { Moves } from "../calls/moves.js";
import { cut } from "../model/caps.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import type { Action, Plan } from "../trace/plan.js";
import { retrace } from "../trace/retrace.js";
import { perform, type SearchBounds } from "./search.js";

/** Repeated calls of one tool; calls of other tools once it has none left. */
class Repetition {
  private readonly moves: Moves;
  private readonly tools: readonly Tool[];

  constructor(
    private readonly program: Program,
    tool: Tool,
    under: PackUnderTest,
  ) {
    this.moves = new Moves(program, under.library);
    this.tools = [tool, ...[...program.tools.values()].filter((other) => other !== tool)];
  }

  /** The next allowed call. Loop detection counts failed calls too, so the same call cannot be repeated without end. */
  call(session: Session, serial: number): Proposal | undefined {
    for (const tool of this.tools) {
      const calls = [...this.moves.likely(tool, session), ...this.moves.fresh(tool, session, serial)];
      const allowed = calls.find((proposal) => judge(this.program, session, proposal) === null);
      if (allowed !== undefined) return allowed;
    }
    return undefined;
  }
}

/** Whether a session with so many further calls is longer than the bounds allow. */
export function isTooLong({ actions }: Plan, further: number, { depth }: SearchBounds): boolean {
  if (actions.length + further <= depth) return false;
  cut("depth");
  return true;
}

/** The plan with `most` failing calls before its last call; null if there are too few allowed calls. */
export function failures(under: PackUnderTest, start: Plan, most: number): Plan | null {
  const last = start.actions.at(-1);
  if (last?.kind !== "call") return null;
  const program = under.slice(under.cone.of([last.tool, ...under.cone.fillersAmong()]), start.principal);
  const tool = program.tools.get(last.tool);
  const before = start.actions.slice(0, -1);
  let session = retrace(program, before)?.session;
  if (tool === undefined || session === undefined) return null;
  const repetition = new Repetition(program, tool, under);
  const outcome = { kind: "failed" } as const;
  const actions: Action[] = [];
  while (actions.length < most) {
    const call = repetition.call(session, actions.length + 1);
    if (call === undefined) return null;
    session = perform(program, session, call, outcome).session;
    actions.push({ kind: "call", tool: call.tool.name, args: call.args, outcome });
  }
  return { ...start, actions: [...before, ...actions, last] };
}
