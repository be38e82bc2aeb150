import type { CompiledTool } from "../../../artifact/compiled.js";
import type { PackRule } from "../../../artifact/pack-rules.js";
import type { Reason } from "../../../artifact/reasons.js";
import type { Json } from "../../../base/json.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { Findings, type RuleFinding, type Sketch } from "../../search/findings.js";
import { isCumulative } from "../../search/goals.js";
import type { SearchBounds } from "../../search/search.js";
import { ToolSearch } from "../../search/tool-search.js";
import type { Action, Plan } from "../../trace/plan.js";
import type { Lockstep } from "./lockstep.js";
import type { PairProber } from "./pair-prober.js";
import { beginning } from "./pair-search.js";
import type { PairVisit, Watcher } from "./watcher.js";

const DONE: RuleFinding = { alone: { principal: null, env: {}, actions: [] }, together: null };

/** Findings of some rules only: a search that keeps them does not look for the others. */
class FindingsOf extends Findings {
  private readonly noted = new Set<string>();

  constructor(private readonly wanted: ReadonlySet<string>) {
    super();
  }

  /** What is found of other rules still shows that the search gets on. */
  override addAlone(id: string, sketch: Sketch): void {
    if (this.wanted.has(id)) super.addAlone(id, sketch);
    else this.note(`alone ${id}`);
  }

  override addTogether(id: string, sketch: Sketch, others: readonly string[]): void {
    if (this.wanted.has(id)) super.addTogether(id, sketch, others);
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

  /** No reason for its own sake. */
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

/** A way to a call that a pack allows; null where none was found, perhaps because a bound was hit. */
export interface Way {
  readonly plan: Plan | null;
  readonly isCut: boolean;
}

/** The shortest session at whose end a tool is allowed by one pack. */
export function wayTo(
  under: PackUnderTest,
  tool: string,
  given: { readonly bounds: SearchBounds; readonly principal: Json | null },
): Way {
  const compiled = under.tool(tool);
  if (compiled === undefined) return { plan: null, isCut: false };
  const findings = new FindingsOf(new Set());
  const { hit } = new ToolSearch(under, compiled, { findings, ...given }).run();
  return { plan: findings.allowedCall(tool), isCut: hit.size > 0 };
}

/** Sessions at whose ends rules refuse calls of a tool, under one pack; also such as take many calls. */
export function waysToRules(
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
  const wide = isFound ? null : widelyFound(under, compiled, { bounds, principal });
  return ids.flatMap((id) => {
    const { alone, together } = findings.rule(id);
    return [alone, together?.plan ?? null, wide?.rule(id).alone ?? null].filter((plan) => plan !== null);
  });
}

/** A search for all rules of a tool goes further, and may come upon one that a search for it alone does not find. */
function widelyFound(
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

/** Plays a session under both packs as far as both allow it, and tries calls of the tool in its last states. */
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

  /** Null where the packs part, or where both refuse. */
  private after(visit: PairVisit, action: Action): PairVisit | null {
    const { node, pair } = visit;
    if (action.kind === "settle") return null;
    if (action.kind !== "call") {
      return { node: { parent: node, action, depth: node.depth + 1 }, pair: this.lockstep.signal(pair, action) };
    }
    const candidate = this.lockstep.candidate(action.tool, action.args);
    return this.watcher.see(node, pair, candidate) ? this.watcher.perform(visit, candidate, action.outcome) : null;
  }
}
