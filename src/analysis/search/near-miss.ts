import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import { Workbench } from "../model/workbench.js";
import { Abstraction } from "../state/abstraction.js";
import type { Plan } from "../trace/plan.js";
import { retrace } from "../trace/retrace.js";
import { Counting } from "./counting.js";
import type { Exploration } from "./exploration.js";
import { isCumulative } from "./goals.js";
import { actionsTo, Search, type SearchBounds, type Visit } from "./search.js";

/** The session that came closest to what was sought, and the rules that refuse its last call. */
export interface NearMiss {
  readonly plan: Plan;
  readonly refusedBy: readonly PackRule[];
}

/** This is for people to read, and nothing rests on it: near states and short sessions are enough. */
const MOST = { states: 300, calls: 16, repeated: 60 } as const;

/** Finds the sessions that came closest, for what was not shown or is proved to be impossible. */
export class NearMisses {
  private readonly ofTools = new Map<string, NearMiss | null>();

  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
    private readonly exploration: Exploration,
  ) {}

  /** The call of a tool that the fewest rules refuse, in the shortest session; null if no call of it can be made up. */
  ofTool(name: string): NearMiss | null {
    const known = this.ofTools.get(name);
    if (known !== undefined) return known;
    const compiled = this.under.tool(name);
    const miss = compiled === undefined ? null : this.closest(compiled);
    this.ofTools.set(name, miss);
    return miss;
  }

  /** What kept a rule from refusing: its tools are not callable, or other rules end the calls that it counts. */
  ofRule(rule: PackRule): NearMiss | null {
    const { body, tools } = rule;
    const { findings } = this.exploration;
    const isAllowed = (tool: string) => findings.allowedCall(tool) !== null;
    if (body.kind === "forbidden_by" && !isAllowed(body.tool)) return this.ofTool(body.tool);
    const callable = tools.find(isAllowed);
    if (callable === undefined) return tools[0] === undefined ? null : this.ofTool(tools[0]);
    return isCumulative(rule) ? this.afterMany(callable) : null;
  }

  private bench(compiled: CompiledTool): Workbench {
    const { under, bounds, exploration } = this;
    const [able] = under.mostPermitted(compiled.name, under.cone.of([compiled.name]));
    return new Workbench(under, compiled, {
      findings: exploration.findings,
      bounds,
      principal: able?.principal ?? null,
    });
  }

  private closest(compiled: CompiledTool): NearMiss | null {
    const bench = this.bench(compiled);
    const { program, moves, prober } = bench;
    const bounds = { depth: this.bounds.depth, states: Math.min(this.bounds.states, MOST.states) };
    let best: NearMiss | null = null;
    for (const visit of new Search(program, new Abstraction(program, prober.tool), moves, bounds).visits()) {
      const miss = this.refusedIn(bench, visit);
      if (miss !== null && (best === null || miss.refusedBy.length < best.refusedBy.length)) best = miss;
      if (best?.refusedBy.length === 1) return best;
    }
    return best;
  }

  /** The calls of a tool repeated for as long as the guard allows one. */
  private afterMany(name: string): NearMiss | null {
    const compiled = this.under.tool(name);
    const allowed = this.exploration.findings.allowedCall(name);
    if (compiled === undefined || allowed === null) return null;
    const bench = this.bench(compiled);
    const { moves, prober } = bench;
    const counting = new Counting(bench);
    let visit = retrace(bench.program, allowed.actions);
    for (let calls = 0; visit !== null && calls < MOST.repeated; calls++) {
      const { session }: Visit = visit;
      const next = counting.after(visit, moves.allowed(prober.tool, session), false);
      if (next === null) return this.refusedIn(bench, visit);
      visit = next;
    }
    return null;
  }

  /** The call that the fewest rules refuse in a state. */
  private refusedIn(bench: Workbench, visit: Visit): NearMiss | null {
    const { moves, prober } = bench;
    let best: NearMiss | null = null;
    const likely = moves.probing(prober.tool, visit.session);
    // Where no arguments pass, those that some rule refuses are all there are.
    const calls =
      likely.length > 0 ? likely : [...moves.refused(prober.tool, visit.session)].flatMap(([, unfit]) => unfit);
    for (const proposal of calls.slice(0, MOST.calls)) {
      const refusedBy = prober.refusing(visit.session, proposal);
      if (refusedBy === null || refusedBy.length === 0) continue;
      if (best !== null && refusedBy.length >= best.refusedBy.length) continue;
      const last = { kind: "call", tool: prober.tool.name, args: proposal.args, outcome: { kind: "open" } } as const;
      const actions = [...actionsTo(visit.node), last];
      best = { plan: { principal: bench.given.principal, env: this.under.env, actions }, refusedBy };
    }
    return best;
  }
}
