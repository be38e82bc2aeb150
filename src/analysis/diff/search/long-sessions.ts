import type { CompiledTool } from "../../../artifact/compiled.js";
import type { PackRule } from "../../../artifact/pack-rules.js";
import type { Reason } from "../../../artifact/reasons.js";
import type { Json } from "../../../base/json.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { Findings, type LazyPlan, type RuleFinding } from "../../search/findings.js";
import { isCumulative } from "../../search/goals.js";
import type { SearchBounds } from "../../search/search.js";
import { ToolSearch } from "../../search/tool-search.js";
import type { Action, Plan } from "../../trace/plan.js";
import type { Lockstep } from "./lockstep.js";
import type { PairProber } from "./pair-prober.js";
import { beginning } from "./pair-search.js";
import type { PairVisit, Watcher } from "./watcher.js";

const DONE: RuleFinding = { alone: { principal: null, env: {}, actions: [] }, together: null };

/** Findings for some rules only; a search with these does not try to find others. */
class FindingsOf extends Findings {
  private readonly noted = new Set<string>();

  constructor(private readonly wanted: ReadonlySet<string>) {
    super();
  }

  /** Findings of other rules still count as progress of the search. */
  override addAlone(id: string, lazyPlan: LazyPlan): void {
    if (this.wanted.has(id)) super.addAlone(id, lazyPlan);
    else this.note(`alone ${id}`);
  }

  override addTogether(id: string, lazyPlan: LazyPlan, others: readonly string[]): void {
    if (this.wanted.has(id)) super.addTogether(id, lazyPlan, others);
    else this.note(`with ${others.length} ${id}`);
  }

  private note(what: string): void {
    if (this.noted.has(what)) return;
    this.noted.add(what);
    this.size += 1;
  }

  override rule(id: string): RuleFinding {
    return this.wanted.has(id) ? super.rule(id) : DONE;
  }

  /** No reason is searched for on its own. */
  override reasons(): ReadonlyMap<Reason, Plan> {
    return NO_REASON_MISSING;
  }
}

class EveryReason extends Map<Reason, Plan> {
  override has(): boolean {
    return true;
  }
}
const NO_REASON_MISSING = new EveryReason();

/** A session that ends in an allowed call; null if none was found, possibly because of a bound. */
export interface FoundSession {
  readonly plan: Plan | null;
  readonly isCut: boolean;
}

/** The shortest session at whose end a tool is allowed by one pack. */
export function sessionTo(
  under: PackUnderTest,
  tool: string,
  given: { readonly bounds: SearchBounds; readonly principal: Json | null },
): FoundSession {
  const compiled = under.tool(tool);
  if (compiled === undefined) return { plan: null, isCut: false };
  const findings = new FindingsOf(new Set());
  const { hit } = new ToolSearch(under, compiled, { findings, ...given }).run();
  return { plan: findings.allowedCall(tool), isCut: hit.size > 0 };
}

/** Sessions at whose ends rules of one pack refuse calls of a tool, including sessions of many calls. */
export function sessionsToRules(
  under: PackUnderTest,
  tool: string,
  given: { readonly rules: readonly PackRule[]; readonly bounds: SearchBounds; readonly principal: Json | null },
): readonly Plan[] {
  const compiled = under.tool(tool);
  const ids = given.rules.map(({ id }) => id);
  if (compiled === undefined || ids.length === 0) return [];
  const { bounds, principal } = given;
  const findings = new FindingsOf(new Set(ids));
  const search = new ToolSearch(under, compiled, { findings, bounds, principal });
  search.run();
  if (given.rules.some(isCumulative)) search.runCumulative();
  const isFound = ids.every((id) => findings.rule(id).alone !== null);
  const wide = isFound ? null : foundForAllRules(under, compiled, { bounds, principal });
  return ids.flatMap((id) => {
    const { alone, together } = findings.rule(id);
    return [alone, together?.plan ?? null, wide?.rule(id).alone ?? null].filter((plan) => plan !== null);
  });
}

/** A search for all rules of a tool goes further, and may find a session that a search for one rule does not. */
function foundForAllRules(
  under: PackUnderTest,
  compiled: CompiledTool,
  given: { readonly bounds: SearchBounds; readonly principal: Json | null },
): Findings {
  const findings = new Findings();
  const search = new ToolSearch(under, compiled, { findings, ...given });
  search.run();
  search.runCumulative();
  return findings;
}

/** Follows a session under both packs as far as both allow it, and tries calls of the tool in its last states. */
export class Walker {
  constructor(
    private readonly lockstep: Lockstep,
    private readonly watcher: Watcher,
    private readonly prober: () => PairProber,
  ) {}

  walk(actions: readonly Action[]): void {
    const prober = this.prober();
    let visit: PairVisit | null = beginning(this.lockstep);
    for (const [at, action] of actions.entries()) {
      if (at >= actions.length - 2) prober.visit(visit);
      visit = this.after(visit, action);
      if (visit === null) return;
    }
    prober.visit(visit);
  }

  /** Null if a pack refuses the call, or if the packs judge its output differently. */
  private after(visit: PairVisit, action: Action): PairVisit | null {
    const { node, pair } = visit;
    if (action.kind === "settle") return null;
    if (action.kind === "step" && !this.lockstep.mayBeginStep(pair)) return null;
    if (action.kind !== "call") {
      return { node: { parent: node, action, depth: node.depth + 1 }, pair: this.lockstep.signal(pair, action) };
    }
    const candidate = this.lockstep.candidate(action.tool, action.args);
    return this.watcher.see(node, pair, candidate) ? this.watcher.perform(visit, candidate, action.outcome) : null;
  }
}
