import { judge } from "../../../guard/decide/decide.js";
import type { Program } from "../../../guard/program/program.js";
import { advance } from "../../../guard/session/advance.js";
import { newSession, type Session } from "../../../guard/session/session.js";
import { Moves } from "../../calls/moves.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { failures, isTooLong } from "../../search/breaker.js";
import { perform, type SearchBounds, signalled } from "../../search/search.js";
import { copyOf, proposalIn } from "../../state/clock.js";
import type { Action, Plan } from "../../trace/plan.js";
import { Lockstep } from "./lockstep.js";
import { sessionTo } from "./long-sessions.js";
import type { JudgedPrincipal, Packs } from "./principals.js";

/** What a circuit breaker counts. */
export type Counted = "blocks" | "errors";

function mostOf(packs: Packs, side: "old" | "new", of: Counted): number {
  const { consecutive_blocks: blocks, consecutive_errors: errors } = packs[side].pack.circuit_breaker;
  return (of === "blocks" ? blocks : errors) ?? Number.POSITIVE_INFINITY;
}

/** The pack whose breaker trips first; null if both trip at once. */
function firstToTrip(packs: Packs, of: Counted): "old" | "new" | null {
  const [old, current] = [mostOf(packs, "old", of), mostOf(packs, "new", of)];
  return old === current ? null : old < current ? "old" : "new";
}

/** Sessions that reach a tool of both packs, the shortest first. */
function paths(packs: Packs, principals: readonly JudgedPrincipal[], bounds: SearchBounds): readonly Plan[] {
  const tools = packs.old.pack.tools.filter(({ name }) => packs.new.tool(name) !== undefined);
  const plans = tools.flatMap(({ name }) => {
    const able = principals.find(({ old, new: current }) => !old.has(name) && !current.has(name));
    const path = able === undefined ? null : sessionTo(packs.old, name, { bounds, principal: able.principal }).plan;
    return path === null ? [] : [path];
  });
  return plans.sort((a, b) => a.actions.length - b.actions.length);
}

/** A call that both packs refuse in a new session, repeated `most` times, followed by an allowed session. */
function refusals(packs: Packs, path: Plan, most: number): Plan | null {
  const names = new Set(packs.old.pack.tools.map(({ name }) => name));
  const lockstep = new Lockstep(packs, names, path);
  const pair = lockstep.begin();
  for (const tool of lockstep.tools) {
    const bad = [packs.old, packs.new].flatMap(({ library }) => [...library.argumentsOf(tool).bad.values()].flat());
    const args = [...bad, {}].find((each) => {
      const { old, new: current } = lockstep.judge(pair, lockstep.candidate(tool, each));
      return old === "refused" && current === "refused";
    });
    if (args === undefined) continue;
    const refused = { kind: "call", tool, args, outcome: { kind: "failed" } } as const;
    return { ...path, actions: [...Array.from({ length: most }, () => refused), ...path.actions] };
  }
  return null;
}

/** The session with a last call that the pack without a tripped breaker allows; the original one may be a loop by then. */
function ended(under: PackUnderTest, { actions, ...rest }: Plan): Plan | null {
  const last = actions.at(-1);
  if (last?.kind !== "call") return null;
  const program = under.slice(under.cone.of([last.tool]), rest.principal);
  const tool = program.tools.get(last.tool);
  if (tool === undefined) return null;
  const before = actions.slice(0, -1);
  const session = before.reduce((reached, action) => after(program, reached, action), newSession(program));
  const moves = new Moves(program, under.library);
  const calls = [
    proposalIn(session, tool, last.args),
    ...moves.likely(tool, session),
    ...moves.fresh(tool, session, actions.length),
  ];
  const call = calls.find((proposal) => !session.isKilled && judge(program, session, proposal) === null);
  return call === undefined ? null : { ...rest, actions: [...before, { ...last, args: call.args }] };
}

/** The session after a call that may be refused. */
function after(program: Program, session: Session, action: Action): Session {
  if (action.kind === "clock" || action.kind === "label") return signalled(program, session, action);
  const tool = action.kind === "call" ? program.tools.get(action.tool) : undefined;
  if (action.kind !== "call" || tool === undefined) return session;
  const proposal = proposalIn(session, tool, action.args);
  if (judge(program, session, proposal) === null) return perform(program, session, proposal, action.outcome).session;
  const refused = copyOf(session);
  advance(program, refused, { kind: "blocked" });
  return refused;
}

/** A session that a breaker ends under one pack only. */
export function breakerSession(
  packs: Packs,
  of: Counted,
  { principals, bounds }: { readonly principals: readonly JudgedPrincipal[]; readonly bounds: SearchBounds },
): { readonly plan: Plan; readonly first: "old" | "new" } | null {
  const first = firstToTrip(packs, of);
  if (first === null) return null;
  const most = mostOf(packs, first, of);
  for (const path of paths(packs, principals, bounds)) {
    if (isTooLong(path, most, bounds)) return null;
    const start = of === "errors" ? failures(packs[first], path, most) : refusals(packs, path, most);
    const plan = start === null ? null : ended(packs[first === "old" ? "new" : "old"], start);
    if (plan !== null) return { plan, first };
  }
  return null;
}
