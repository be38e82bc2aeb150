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
import { type CallClaim, type ClaimSearch, claimSearchFor, withCheckpoint } from "./claim-searches.js";

/** The result of a search for a counterexample. */
export interface ClaimCheck {
  readonly counterexample: Plan | null;
  /** No search ended at a bound on states or steps. */
  readonly isComplete: boolean;
  readonly explored: number;
  /** Every bound and simplification that was met. */
  readonly met: readonly MetName[];
}

/** How a counterexample is searched for. */
interface Strategy {
  /** Whether a call may stay unsettled while others are made. */
  readonly overlaps: boolean;
  /** Whether more values are tried than the rules suggest. */
  readonly isRich: boolean;
  readonly bounds: SearchBounds;
}

type Tried = Omit<ClaimCheck, "met"> & { readonly simplified: ReadonlySet<SimplificationName> };

interface SearchOutcome {
  readonly actions: readonly Action[] | null;
  readonly isComplete: boolean;
  readonly explored: number;
}

/** Searches for sessions that break claims about calls. */
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
    const claimSearch = claimSearchFor(claim, pack);
    const names = new Set(under.cone.of([claimSearch.tool, ...claimSearch.others]));
    const tally = { explored: 0, isComplete: true, simplified: simplificationsFor(under.pack, names) };
    for (const principal of principalsOf(under, names, claimSearch.tool)) {
      const program = under.slice(names, principal);
      for (const strategy of strategiesOf(claimSearch, this.bounds)) {
        const found = this.claimSearch(under, program, { claimSearch, ...strategy });
        tally.explored += found.explored;
        // A search with more values repeats an earlier one, so its bounds leave nothing out.
        tally.isComplete &&= found.isComplete || strategy.isRich;
        const { actions } = found;
        if (actions !== null) return { counterexample: { principal, env: under.env, actions }, ...tally };
      }
      const mixed = this.searchMixed(under, program, claimSearch);
      tally.explored += mixed.explored;
      const { actions } = mixed;
      if (actions !== null) return { counterexample: { principal, env: under.env, actions }, ...tally };
    }
    return { counterexample: null, ...tally };
  }

  private claimSearch(
    under: PackUnderTest,
    program: Program,
    { claimSearch, overlaps, isRich, bounds }: Strategy & { readonly claimSearch: ClaimSearch },
  ): SearchOutcome {
    const moves = new Moves(program, under.libraryOf(isRich ? "many" : "enough"));
    const tool = program.tools.get(claimSearch.tool);
    const { history, isOver, isOrderSensitive: rejectedOutputs, isVaried: losses } = claimSearch;
    const extensions = { overlaps, rejectedOutputs, losses, history, isOver };
    const search = new Search(
      program,
      new Abstraction(program, tool ?? null),
      moves,
      bounds,
      claimSearch.isVaried ? (tool ?? null) : null,
      extensions,
    );
    const actions = tool === undefined ? null : breaking(search.visits(), { program, tool, moves, claimSearch });
    return { actions, isComplete: search.hit.size === 0, explored: search.visited };
  }

  /** Sessions with several calls in a step, calls that fail, and calls that never answer. */
  private searchMixed(
    under: PackUnderTest,
    program: Program,
    claimSearch: ClaimSearch,
  ): Omit<SearchOutcome, "isComplete"> {
    const moves = new Moves(program, under.libraryOf("enough"));
    const mixed = new MixedSessions(program, moves);
    const tool = program.tools.get(claimSearch.tool);
    const actions = tool === undefined ? null : breaking(mixed.visits(), { program, tool, moves, claimSearch });
    return { actions, explored: mixed.visited };
  }
}

/** The session to the first of some states in which a call breaks a claim. */
function breaking(
  visits: Iterable<Visit>,
  context: { readonly program: Program; readonly tool: Tool; readonly moves: Moves; readonly claimSearch: ClaimSearch },
): readonly Action[] | null {
  const { program, tool, moves, claimSearch } = context;
  for (const visit of visits) {
    const { session, node } = visit;
    if (session.isKilled || claimSearch.isOver(node) || whyHidden(program, session, tool) !== null) continue;
    const calls = [
      ...moves.probing(tool, session),
      ...moves.fresh(tool, session, node.depth + 1),
      ...(claimSearch.isMeant === null
        ? []
        : moves.picked(tool, session, (args) => claimSearch.isMeant?.(args, program) === true)),
    ];
    const last = claimSearch.find(visit, { program, tool, calls });
    if (last !== null) return [...actionsTo(node), ...last];
  }
  return null;
}

/** Sequential calls come first, because they give plainer sessions; values that no rule suggests come last. */
function strategiesOf({ isOrderSensitive }: ClaimSearch, bounds: SearchBounds): readonly Strategy[] {
  return [
    { overlaps: false, isRich: false, bounds },
    ...(isOrderSensitive ? [{ overlaps: true, isRich: false, bounds: within(bounds, "states_overlapping") }] : []),
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
