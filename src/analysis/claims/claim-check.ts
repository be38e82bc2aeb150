import type { Claim } from "../../artifact/claim.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { Moves } from "../calls/moves.js";
import { first, type MetName, recorded, type SimplificationName } from "../model/caps.js";
import { PackUnderTest } from "../model/pack-under-test.js";
import { simplificationsFor } from "../model/simplifications.js";
import { MixedSessions } from "../search/mixed-sessions.js";
import { actionsTo, Search, type SearchBounds, type Visit, within } from "../search/search.js";
import { Abstraction } from "../state/abstraction.js";
import type { Action, Plan } from "../trace/plan.js";
import { type CallClaim, type Hunt, huntFor, withCheckpoint } from "./claim-searches.js";

/** What looking for a counterexample gave. */
export interface ClaimCheck {
  readonly counterexample: Plan | null;
  /** No search ended at a bound on states or steps. */
  readonly isComplete: boolean;
  readonly explored: number;
  /** Every bound and simplification that was met. */
  readonly met: readonly MetName[];
}

/** How a counterexample is looked for. */
interface Way {
  /** Whether a call stays open while others come and go. */
  readonly overlaps: boolean;
  /** Whether more values are tried than the rules suggest. */
  readonly isRich: boolean;
  readonly bounds: SearchBounds;
}

type Tried = Omit<ClaimCheck, "met"> & { readonly simplified: ReadonlySet<SimplificationName> };

interface Hunted {
  readonly actions: readonly Action[] | null;
  readonly isComplete: boolean;
  readonly explored: number;
}

/** Looks for sessions that break claims about calls. */
export class ClaimChecker {
  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
  ) {}

  check(claim: Claim & CallClaim): ClaimCheck {
    const met = new Set<MetName>(this.under.met);
    const found = recorded(met, () => this.tryClaim(claim));
    for (const name of found.simplified) met.add(name);
    const { counterexample, isComplete, explored } = found;
    return { counterexample, isComplete, explored, met: [...met].sort() };
  }

  private tryClaim(claim: Claim & CallClaim): Tried {
    const { artifact, pack } = this.under;
    const under =
      claim.kind === "requires_approval" && claim.when.length > 0
        ? new PackUnderTest(artifact, withCheckpoint(pack, claim))
        : this.under;
    const hunt = huntFor(claim, pack);
    const names = new Set(under.influence.on([hunt.tool, ...hunt.others]));
    const tally = { explored: 0, isComplete: true, simplified: simplificationsFor(under.pack, names) };
    for (const principal of principalsOf(under, names, hunt.tool)) {
      const program = under.slice(names, principal);
      for (const way of waysOf(hunt, this.bounds)) {
        const found = this.hunt(under, program, { hunt, ...way });
        tally.explored += found.explored;
        // What was looked at once more, with more values, was looked at before with those that stand for all.
        tally.isComplete &&= found.isComplete || way.isRich;
        const { actions } = found;
        if (actions !== null) return { counterexample: { principal, env: under.env, actions }, ...tally };
      }
      const mixed = this.huntMixed(under, program, hunt);
      tally.explored += mixed.explored;
      const { actions } = mixed;
      if (actions !== null) return { counterexample: { principal, env: under.env, actions }, ...tally };
    }
    return { counterexample: null, ...tally };
  }

  private hunt(
    under: PackUnderTest,
    program: Program,
    { hunt, overlaps, isRich, bounds }: Way & { readonly hunt: Hunt },
  ): Hunted {
    const moves = new Moves(program, under.libraryOf(isRich ? "many" : "enough"));
    const tool = program.tools.get(hunt.tool);
    const { history, isOver, isOfOrder: voids, isVaried: losses } = hunt;
    const beyond = { overlaps, voids, losses, history, isOver };
    const search = new Search(
      program,
      new Abstraction(program, tool ?? null),
      moves,
      bounds,
      hunt.isVaried ? (tool ?? null) : null,
      beyond,
    );
    const actions = tool === undefined ? null : breaking(search.visits(), { program, tool, moves, hunt });
    return { actions, isComplete: search.hit.size === 0, explored: search.visited };
  }

  /** Several calls in a step, calls that fail, and calls that never answer. */
  private huntMixed(under: PackUnderTest, program: Program, hunt: Hunt): Omit<Hunted, "isComplete"> {
    const moves = new Moves(program, under.libraryOf("enough"));
    const mixed = new MixedSessions(program, moves);
    const tool = program.tools.get(hunt.tool);
    const actions = tool === undefined ? null : breaking(mixed.visits(), { program, tool, moves, hunt });
    return { actions, explored: mixed.visited };
  }
}

/** The session that breaks a claim, in the first of some states in which a call does. */
function breaking(
  visits: Iterable<Visit>,
  around: { readonly program: Program; readonly tool: Tool; readonly moves: Moves; readonly hunt: Hunt },
): readonly Action[] | null {
  const { program, tool, moves, hunt } = around;
  for (const visit of visits) {
    const { session, node } = visit;
    if (session.isKilled || hunt.isOver(node) || whyHidden(program, session, tool) !== null) continue;
    const calls = [
      ...moves.probing(tool, session),
      ...moves.fresh(tool, session, node.depth + 1),
      ...(hunt.isMeant === null ? [] : moves.picked(tool, session, (args) => hunt.isMeant?.(args, program) === true)),
    ];
    const last = hunt.find(visit, { program, tool, calls });
    if (last !== null) return [...actionsTo(node), ...last];
  }
  return null;
}

/** Calls that end before the next begins give the plainer sessions; values that few rules suggest come last. */
function waysOf({ isOfOrder }: Hunt, bounds: SearchBounds): readonly Way[] {
  return [
    { overlaps: false, isRich: false, bounds },
    ...(isOfOrder ? [{ overlaps: true, isRich: false, bounds: within(bounds, "states_overlapping") }] : []),
    { overlaps: false, isRich: true, bounds: within(bounds, "states_again") },
  ];
}

/** Principals who may call the tool, no two with the same rights. */
function principalsOf(under: PackUnderTest, names: ReadonlySet<string>, tool: string): readonly (Json | null)[] {
  const byRights = new Map<string, Json | null>();
  for (const { principal, refusals } of under.principalsFor(names)) {
    if (refusals.has(tool)) continue;
    const rights = canonicalJson([...names].filter((name) => !refusals.has(name)));
    if (!byRights.has(rights)) byRights.set(rights, principal);
  }
  return first([...byRights.values()], "principals");
}
