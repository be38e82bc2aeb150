import type { Program } from "../../guard/program/program.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { Moves } from "../calls/moves.js";
import { OutputKinds } from "../calls/output-kinds.js";
import { cut, first, isBeyond, type MetName, recorded } from "../model/caps.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import { simplificationsFor } from "../model/simplifications.js";
import { Abstraction, type Counter, ruleCounters } from "../state/abstraction.js";
import type { ValueBudget } from "../state/value-classes.js";
import type { Action, Plan } from "../trace/plan.js";
import { actionsTo, type Node, perform, type SearchBounds } from "./search.js";

/** A session that ends in a state from which no wanted phase can be reached. */
export interface Stuck {
  readonly phase: string;
  readonly label: string | null;
  readonly plan: Plan;
}

interface State {
  readonly node: Node;
  readonly phase: string;
  /** Null once the state is expanded. */
  session: Session | null;
  /** The states that calls lead to, and the tools called. */
  readonly edges: { readonly tool: string; readonly to: number }[];
}

/** Sessions of a pack as a graph. Total numbers of calls and failures are ignored: their limits end every session. */
class StateGraph {
  readonly states: State[] = [];
  /** Calls made. The search ends at half as many calls as states are allowed; more rarely show another dead end. */
  private calls = 0;
  private readonly indices = new Map<string, number>();
  private readonly abstraction: Abstraction;
  private readonly counters: readonly Counter[];
  private readonly outputs: OutputKinds;

  constructor(
    private readonly program: Program,
    private readonly moves: Moves,
    private readonly bounds: SearchBounds,
  ) {
    this.abstraction = new Abstraction(program, null, () => 0);
    this.counters = ruleCounters(program);
    this.outputs = new OutputKinds(program, moves);
  }

  explore(): void {
    this.index({ parent: null, action: null, depth: 0 }, newSession(this.program));
    for (let at = 0; at < this.states.length; at++) {
      const state = this.states[at];
      if (this.calls >= this.bounds.states / 2) {
        cut("states");
        return;
      }
      if (state !== undefined) this.expand(state);
    }
  }

  private keyOf(session: Session): string {
    const counted = this.counters.map((counter) => counter(session));
    return `${this.abstraction.keyOf(session)}${counted.join(";")}`;
  }

  private index(node: Node, session: Session): number {
    const key = this.keyOf(session);
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.states.length;
    this.indices.set(key, index);
    this.states.push({ node, phase: session.phase ?? "", session, edges: [] });
    return index;
  }

  private expand(state: State): void {
    const { session, node, edges } = state;
    if (session === null) return;
    if (node.depth >= this.bounds.depth) {
      cut("depth");
      return;
    }
    state.session = null;
    for (const tool of this.program.tools.values()) {
      const outputs = this.outputs.of(tool);
      for (const proposal of this.moves.allowed(tool, session)) {
        this.calls += outputs.length;
        for (const output of outputs) {
          const outcome = { kind: "result", output } as const;
          const next = perform(this.program, session, proposal, outcome).session;
          const action: Action = { kind: "call", tool: tool.name, args: proposal.args, outcome };
          // A session that its circuit breaker ended is not stuck.
          if (next.isKilled) continue;
          edges.push({ tool: tool.name, to: this.index({ parent: node, action, depth: node.depth + 1 }, next) });
        }
      }
    }
  }

  /** The states from which a phase may be reached without some tools. States that were not expanded count as such. */
  reaching(phases: ReadonlySet<string>, without: ReadonlySet<string>): ReadonlySet<number> {
    const back: number[][] = this.states.map(() => []);
    this.states.forEach(({ edges }, from) => {
      for (const { tool, to } of edges) if (!without.has(tool)) back[to]?.push(from);
    });
    const found = new Set<number>();
    const open: number[] = [];
    this.states.forEach(({ phase, session }, index) => {
      if (phases.has(phase) || session !== null) open.push(index);
    });
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (found.has(at)) continue;
      found.add(at);
      open.push(...(back[at] ?? []));
    }
    return found;
  }
}

/** Explores the sessions of a pack for dead ends. */
export function exploreLiveness(under: PackUnderTest, bounds: SearchBounds, budget: ValueBudget): Liveness {
  const { pack } = under;
  const advancing = pack.tools.filter(({ advances_to: next }) => next !== null).map(({ name }) => name);
  const met = new Set<MetName>();
  const isWhole = recorded(met, () => !isBeyond(pack.tools.length, "tools_whole"));
  const names = new Set(isWhole ? pack.tools.map(({ name }) => name) : under.cone.of(advancing));
  const graphs = recorded(met, () =>
    distinctPrincipals(under, names).map((principal, at, all): Lived => {
      // The first may call the most; the others share as many states as it has.
      const states = at === 0 ? bounds.states : Math.ceil(bounds.states / (all.length - 1));
      const program = under.slice(names, principal, "loop_detection");
      const graph = new StateGraph(program, new Moves(program, under.libraryOf(budget)), { ...bounds, states });
      graph.explore();
      return { graph, principal };
    }),
  );
  for (const name of [...under.met, ...simplificationsFor(pack, names)]) met.add(name);
  return new Liveness(under, graphs, [...met].sort());
}

/** One principal for each set of tools that policies refuse, the one who may call the most first. */
function distinctPrincipals(under: PackUnderTest, names: ReadonlySet<string>): readonly Plan["principal"][] {
  const byRights = new Map<string, Plan["principal"]>();
  for (const { principal, refusals } of under.principalsFor(names)) {
    const rights = JSON.stringify([...names].filter((name) => refusals.has(name)));
    if (!byRights.has(rights)) byRights.set(rights, principal);
  }
  return byRights.size === 0 ? [null] : first([...byRights.values()], "principals");
}

/** The sessions of one principal. */
interface Lived {
  readonly graph: StateGraph;
  readonly principal: Plan["principal"];
}

/** Whether sessions of a pack can always reach some phases. Loop detection is ignored: other calls end a loop. */
export class Liveness {
  constructor(
    private readonly under: PackUnderTest,
    private readonly graphs: readonly Lived[],
    /** Every bound and simplification that was met. */
    readonly met: readonly MetName[],
  ) {}

  get explored(): number {
    return this.graphs.flatMap(({ graph }) => graph.states.filter(({ session }) => session === null)).length;
  }

  /** The shortest session into a dead end, for each phase and cause. */
  stuck(phases: readonly string[]): readonly Stuck[] {
    const found = new Map<string, Stuck>();
    for (const [at, lived] of this.graphs.entries()) {
      for (const stuck of this.stuckIn(lived, new Set(phases), at === 0)) {
        const key = JSON.stringify([stuck.phase, stuck.label]);
        if (!found.has(key)) found.set(key, stuck);
      }
    }
    return [...found.values()];
  }

  private stuckIn({ graph, principal }: Lived, wanted: ReadonlySet<string>, isAble: boolean): readonly Stuck[] {
    const free = graph.reaching(wanted, new Set());
    // Whom policies refuse the way from the beginning does not get stuck on it.
    if (!isAble && !free.has(0)) return [];
    const found = this.firsts({ graph, principal }, free, null);
    for (const label of this.labels()) {
      const gated = this.under.pack.tools.filter(({ checks }) =>
        checks.some((check) => check.kind === "label_gate" && check.label === label),
      );
      const still = graph.reaching(wanted, new Set(gated.map(({ name }) => name)));
      // A state that was stuck before is not stuck because of the label.
      const able = graph.states.flatMap((_, index) => (still.has(index) || !free.has(index) ? [index] : []));
      found.push(...this.firsts({ graph, principal }, new Set(able), label));
    }
    return found;
  }

  private labels(): ReadonlySet<string> {
    const checks = this.under.pack.tools.flatMap((tool) => tool.checks);
    return new Set(checks.flatMap((check) => (check.kind === "label_gate" ? [check.label] : [])));
  }

  private firsts({ graph, principal }: Lived, able: ReadonlySet<number>, label: string | null): Stuck[] {
    const byPhase = new Map<string, Stuck>();
    graph.states.forEach(({ node, phase }, index) => {
      if (able.has(index) || byPhase.has(phase)) return;
      const actions = label === null ? actionsTo(node) : [...actionsTo(node), { kind: "label", label } as const];
      byPhase.set(phase, { phase, label, plan: { principal, env: this.under.env, actions } });
    });
    return [...byPhase.values()];
  }
}
