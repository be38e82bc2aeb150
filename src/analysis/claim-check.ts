import type { Claim } from "../artifact/claim.js";
import type { CompiledPack } from "../artifact/compiled.js";
import { canonicalJson } from "../base/canonical-json.js";
import { unreachable } from "../base/invariant.js";
import type { Json } from "../base/json.js";
import type { Program } from "../guard/program.js";
import { whyHidden } from "../guard/visible-tools.js";
import { Abstraction } from "./abstraction.js";
import { checksOf } from "./checks-of.js";
import { type CallClaim, type Hunt, huntFor, withCheckpoint } from "./claim-hunts.js";
import { Moves } from "./moves.js";
import { PackUnderTest } from "./pack-under-test.js";
import type { Action, Plan } from "./plan.js";
import { actionsTo, Search, type SearchBounds } from "./search.js";

/** What looking for a counterexample gave. */
export interface ClaimCheck {
  readonly counterexample: Plan | null;
  /** Every state was looked at. */
  readonly isComplete: boolean;
  readonly explored: number;
}

/** Different principals that are tried, those who may do most first. */
const MOST_PRINCIPALS = 4;
/** States that are looked at while a call is open: there are many, and few of them matter. */
const MOST_OVERLAPPING = 600;

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
    const { artifact, pack } = this.under;
    if (isRule(claim, pack)) return PROVED;
    const under =
      claim.kind === "requires_approval" && claim.when.length > 0
        ? new PackUnderTest(artifact, withCheckpoint(pack, claim))
        : this.under;
    const hunt = huntFor(claim, pack);
    const names = new Set(under.influence.on([hunt.tool, ...hunt.others]));
    let explored = 0;
    let isComplete = true;
    for (const principal of principalsOf(under, names, hunt.tool)) {
      const program = under.slice(names, principal);
      // Calls that end before the next begins give the plainer sessions.
      for (const overlaps of hunt.isOfOrder ? [false, true] : [false]) {
        const found = this.hunt(under, program, hunt, overlaps);
        explored += found.explored;
        isComplete &&= found.isComplete;
        const { actions } = found;
        if (actions !== null) return { counterexample: { principal, env: under.env, actions }, isComplete, explored };
      }
    }
    return { counterexample: null, isComplete, explored };
  }

  private hunt(under: PackUnderTest, program: Program, hunt: Hunt, overlaps: boolean): Hunted {
    const moves = new Moves(program, under.library);
    const tool = program.tools.get(hunt.tool);
    const { history, isOver, isOfOrder: voids } = hunt;
    const beyond = { overlaps, voids, history, isOver };
    const bounds = overlaps ? { ...this.bounds, states: Math.min(this.bounds.states, MOST_OVERLAPPING) } : this.bounds;
    const search = new Search(
      program,
      new Abstraction(program, tool ?? null),
      moves,
      bounds,
      hunt.isVaried ? (tool ?? null) : null,
      beyond,
    );
    let actions: readonly Action[] | null = null;
    for (const visit of tool === undefined ? [] : search.visits()) {
      const { session, node } = visit;
      if (tool === undefined || session.killed !== null || whyHidden(program, session, tool) !== null) continue;
      const calls = [...moves.probing(tool, session), ...moves.fresh(tool, session, node.depth + 1)];
      const last = hunt.find(visit, { program, tool, calls });
      if (last === null) continue;
      actions = [...actionsTo(node), ...last];
      break;
    }
    return { actions, isComplete: search.hit.size === 0, explored: search.visited };
  }
}

const PROVED: ClaimCheck = { counterexample: null, isComplete: true, explored: 0 };

/** Whether the claim says what a check of the tool asks in every state: that needs no search. */
function isRule(claim: CallClaim, { tools }: CompiledPack): boolean {
  const checks = tools.find(({ name }) => name === claim.tool)?.checks ?? [];
  switch (claim.kind) {
    case "never_without_prior":
      return checksOf(checks, "precondition").some(({ prior }) => prior?.tool === claim.prior);
    case "never_after":
      return checksOf(checks, "forbidden_by").some((check) => check.tools.some(({ tool }) => tool === claim.after));
    case "never_when_label":
      return checksOf(checks, "label_gate").some(({ label }) => label === claim.label);
    case "at_most":
      return [...checksOf(checks, "max_calls_per_tool"), ...checksOf(checks, "max_tool_calls")].some(
        ({ max }) => max <= claim.calls,
      );
    case "requires_approval":
      return false;
    default:
      return unreachable(claim);
  }
}

/** Principals who may call the tool, no two with the same rights. */
function principalsOf(under: PackUnderTest, names: ReadonlySet<string>, tool: string): readonly (Json | null)[] {
  const byRights = new Map<string, Json | null>();
  for (const { principal, refusals } of under.principalsFor(names)) {
    if (refusals.has(tool)) continue;
    const rights = canonicalJson([...names].filter((name) => !refusals.has(name)));
    if (!byRights.has(rights)) byRights.set(rights, principal);
  }
  return [...byRights.values()].slice(0, MOST_PRINCIPALS);
}
