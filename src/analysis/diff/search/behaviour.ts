import type { PackRule } from "../../../artifact/pack-rules.js";
import { invariant } from "../../../base/invariant.js";
import type { Divergence } from "../../difference.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import type { SearchBounds } from "../../search/search.js";
import type { Player } from "../../trace/replay.js";
import type { TraceStep } from "../../trace/trace.js";
import { breakerSession, type Counted } from "./breaker-sessions.js";
import { DivergenceList, type KeptDivergence } from "./divergence-list.js";
import type { FoundChange } from "./found-change.js";
import { sessionTo } from "./long-sessions.js";
import { type JudgedPrincipal, judgedPrincipals, mostPermitted, type Packs } from "./principals.js";
import { type Concern, crossingsOf, ToolComparison } from "./tool-comparison.js";

/** How two packs differ in what they do. */
export interface Behaviour {
  readonly divergences: readonly Divergence[];
  readonly isBounded: boolean;
}

/** The input of a comparison of two packs. */
export interface Comparing {
  readonly bounds: SearchBounds;
  readonly wording: (rule: PackRule) => string;
  readonly players: { readonly old: Player; readonly new: Player };
}

/** The tools that have one of these tools in their cone of influence. */
function dependents({ old, new: current }: Packs, tools: readonly string[]): readonly string[] {
  const isTouched = (name: string) =>
    [old, current].some(({ cone }) => tools.some((tool) => cone.of([name]).has(tool)));
  return old.pack.tools.map(({ name }) => name).filter(isTouched);
}

/** The tools in both packs that a change can affect, each with the changes that do. */
function concernsOf(packs: Packs, changes: readonly FoundChange[]): readonly Concern[] {
  const byTool = new Map<string, FoundChange[]>();
  for (const found of changes) {
    const { change, judges, hasEffect } = found;
    const isOfCalls = judges && breakerOf(packs, found) === undefined;
    const tools = [...(isOfCalls ? change.tools : []), ...(hasEffect ? dependents(packs, change.tools) : [])];
    for (const tool of new Set(tools)) byTool.set(tool, [...(byTool.get(tool) ?? []), found]);
  }
  const isCommon = (tool: string) => packs.old.tool(tool) !== undefined && packs.new.tool(tool) !== undefined;
  return [...byTool].filter(([tool]) => isCommon(tool)).map(([tool, own]) => ({ tool, changes: own }));
}

function breakerIn({ rules }: PackUnderTest, isIt: (rule: PackRule) => boolean): PackRule | undefined {
  return rules.all.find((rule) => rule.body.kind === "circuit_breaker" && isIt(rule));
}

/** The circuit breaker that a change is about: the old one or, if there was none, the new one. */
function breakerOf(packs: Packs, { change: { oldRule, newRule } }: FoundChange): PackRule | undefined {
  return oldRule === null
    ? breakerIn(packs.new, ({ id }) => id === newRule)
    : breakerIn(packs.old, ({ id }) => id === oldRule);
}

function countedBy({ body }: PackRule): Counted | null {
  return body.kind === "circuit_breaker" ? body.of : null;
}

/**
 * How permissively the last call of a session was judged, or its result: a pack may ask for an approval where the other one
 * withholds the result.
 */
function freedomOf(step: TraceStep | undefined, over: Divergence["over"]): number {
  if (step?.kind !== "call" || step.outcome === null) return 0;
  if (over === "result") return step.outcome.kind === "violated" ? 1 : 2;
  return step.verdict.kind === "allow" ? 2 : 1;
}

/** Searches for calls that two packs judge differently, and replays the findings on the guards of both. */
class Comparison {
  private readonly list = new DivergenceList();
  private readonly principals: readonly JudgedPrincipal[];
  private readonly concerns: readonly Concern[];
  private isBounded = false;

  constructor(
    private readonly packs: Packs,
    private readonly changes: readonly FoundChange[],
    private readonly comparing: Comparing,
  ) {
    this.concerns = concernsOf(packs, changes);
    const crossings = this.concerns.flatMap((concern) => crossingsOf(packs, concern));
    this.principals = judgedPrincipals(
      packs,
      crossings.flatMap(({ principals }) => principals),
    );
  }

  async run(): Promise<Behaviour> {
    const { packs, changes, list, principals } = this;
    const { bounds } = this.comparing;
    for (const concern of this.concerns) {
      const comparison = new ToolComparison(packs, concern, { bounds, principals, list });
      comparison.run();
      this.isBounded ||= comparison.isBounded;
    }
    for (const found of changes) {
      const breaker = breakerOf(packs, found);
      const of = breaker === undefined ? null : countedBy(breaker);
      if (of !== null) this.tripBreaker(of);
    }
    for (const { change } of changes) if (change.what === "tool") this.reach(change.name, change.kind === "added");
    const divergences: Divergence[] = [];
    for (const kept of list.all) divergences.push(await this.played(kept));
    return { divergences, isBounded: this.isBounded };
  }

  private tripBreaker(of: Counted): void {
    const { bounds } = this.comparing;
    const session = breakerSession(this.packs, of, { principals: this.principals, bounds });
    const last = session?.plan.actions.at(-1);
    if (session === null || last?.kind !== "call") {
      this.isBounded = true;
      return;
    }
    const { plan, first } = session;
    const now = first === "old" ? "allowed" : "refused";
    const tripped = breakerIn(this.packs[first], (rule) => countedBy(rule) === of) ?? null;
    this.list.add({ tool: last.tool, now, over: "call", rule: tripped, length: plan.actions.length, plan: () => plan });
  }

  /** A call of a tool that only one pack has. */
  private reach(tool: string, isAdded: boolean): void {
    const under = isAdded ? this.packs.new : this.packs.old;
    const names = under.cone.of([tool]);
    const [able] = mostPermitted(this.principals, tool, names);
    const { plan, isCut } = sessionTo(under, tool, {
      bounds: this.comparing.bounds,
      principal: able?.principal ?? null,
    });
    this.isBounded ||= plan === null && isCut;
    if (plan === null) return;
    this.list.add({
      tool,
      now: isAdded ? "allowed" : "refused",
      over: "call",
      rule: null,
      length: plan.actions.length,
      plan: () => plan,
    });
  }

  /** A finding, replayed by the shipped guard under both packs. */
  private async played({ tool, now, over, rule, plan }: KeptDivergence): Promise<Divergence> {
    const { players, wording } = this.comparing;
    const [before, after] = [await players.old.play(plan), await players.new.play(plan)];
    const [old, current] = [before, after].map(({ trace }) => freedomOf(trace.steps.at(-1), over));
    const shown = (current ?? 0) > (old ?? 0) ? "allowed" : (current ?? 0) < (old ?? 0) ? "refused" : null;
    invariant(shown === now, `the guards differ over ${tool} as was found: ${rule?.id}`);
    const text = rule === null ? "No contract covers the tool." : wording(rule);
    return { tool, now, over, trace: after.trace, rule: text, ruleId: rule?.id ?? null };
  }
}

/** The calls that two packs judge differently, each with the shortest session that shows it. */
export async function compareBehaviour(
  packs: Packs,
  changes: readonly FoundChange[],
  comparing: Comparing,
): Promise<Behaviour> {
  return await new Comparison(packs, changes, comparing).run();
}
