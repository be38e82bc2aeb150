import type { CompiledCheck } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { newSession } from "../../guard/session/session.js";
import { Moves } from "../calls/moves.js";
import { isBeyond, most } from "../model/caps.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import type { Workbench } from "../model/workbench.js";
import { actionsTo, perform, Search, type Visit, within } from "../search/search.js";
import { Abstraction } from "../state/abstraction.js";
import type { Action } from "../trace/plan.js";
import { retrace } from "../trace/retrace.js";
import { hangsOnNumbers } from "./relaxed-pack.js";
import { type Goal, solveSequence } from "./solve-sequence.js";

type Call = Action & { readonly kind: "call" };

const OF_NUMBERS: ReadonlySet<CompiledCheck["kind"]> = new Set([
  "schema",
  "input_invariant",
  "execution_constraint",
  "argument_invariant",
  "derived_invariant",
  "ref",
  "requires",
  "aggregate",
  "envelope",
]);

/** Computes the numbers of calls that hang on each other: the order of calls is found without them, and then they are solved for. */
export class SequenceSearch {
  /** States of the search without numbers. */
  explored = 0;

  constructor(
    private readonly under: PackUnderTest,
    private readonly bench: Workbench,
    private readonly rulesOf: (check: CompiledCheck) => readonly PackRule[],
  ) {}

  /** Whether the rules of the tool compare numbers of several calls. */
  get isWorthwhile(): boolean {
    return hangsOnNumbers(this.under.pack, new Set([this.bench.compiled.name]), false);
  }

  /** For a tool that was not allowed, or a sum that was not exceeded. */
  runLast(): void {
    const { compiled, given, program } = this.bench;
    const isAllowed = given.findings.allowedCall(compiled.name) !== null;
    const own = new Set(isAllowed ? [compiled.name] : program.tools.keys());
    const isUnseen = (check: CompiledCheck) =>
      check.kind === "aggregate" &&
      this.rulesOf(check).some(
        ({ id }) => given.findings.rule(id).together === null && given.findings.rule(id).alone === null,
      );
    const isOpen = !isAllowed || compiled.checks.some(isUnseen);
    if (isOpen && hangsOnNumbers(this.under.pack, own, true)) this.run();
  }

  run(): void {
    const { compiled, given, program } = this.bench;
    const names = new Set(program.tools.keys());
    if (this.goals().length === 0) return;
    const relaxed = this.under.relaxed();
    const order = relaxed.slice(names, given.principal);
    const tool = order.tools.get(compiled.name);
    if (tool === undefined) return;
    const moves = new Moves(order, relaxed.libraryOf("one"), compiled.name);
    const search = new Search(order, new Abstraction(order, tool), moves, within(given.bounds, "states_of_order"));
    const seen = new Set<string>();
    for (const visit of this.orders(order, tool, moves, search)) {
      const last = moves.allowed(tool, visit.session)[0];
      if (last === undefined) continue;
      const [output = null] = moves.outputs(tool);
      const call: Call = { kind: "call", tool: tool.name, args: last.args, outcome: { kind: "result", output } };
      const actions = [...actionsTo(visit.node), call];
      const text = actions.map((action) => (action.kind === "call" ? action.tool : action.kind)).join(" ");
      if (seen.size === seen.add(text).size) continue;
      if (isBeyond(seen.size, "orders")) break;
      this.solve(actions);
      if (this.goals().length === 0) break;
    }
    this.explored += search.visited;
  }

  /** A session in which each other tool was called once, as far as that goes; then all, the shortest first. */
  private *orders(order: Program, tool: Tool, moves: Moves, search: Search): Generator<Visit> {
    const others = [...order.tools.values()].filter((other) => other !== tool);
    // A call that leaves the phase may leave others behind.
    const left = others.sort((a, b) => Number(a.advancesTo !== null) - Number(b.advancesTo !== null));
    const { depth, states } = this.bench.given.bounds;
    let visit: Visit = { node: { parent: null, action: null, depth: 0 }, session: newSession(order) };
    for (let at = 0; at >= 0 && visit.node.depth < Math.min(depth, states); ) {
      if (moves.isAllowed(tool, visit.session)) {
        yield visit;
        break;
      }
      at = left.findIndex((other) => moves.isAllowed(other, visit.session));
      const [proposal] = at < 0 ? [] : left.splice(at, 1).flatMap((other) => moves.allowed(other, visit.session));
      if (proposal === undefined) break;
      const [output = null] = moves.outputs(proposal.tool);
      const outcome = { kind: "result", output } as const;
      const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
      const { session } = perform(order, visit.session, proposal, outcome);
      visit = { node: { parent: visit.node, action, depth: visit.node.depth + 1 }, session };
    }
    yield* search.visits();
  }

  /** What was not seen yet: a call that is allowed, or that one check of numbers alone acts on. */
  private goals(): readonly Goal[] {
    const { given, compiled } = this.bench;
    const wanted = compiled.checks.flatMap((check, index): readonly Goal[] => {
      if (!OF_NUMBERS.has(check.kind) && check.kind !== "checkpoint") return [];
      const isOpen = this.rulesOf(check).some((rule) => this.bench.isUnseen(rule));
      return isOpen ? [{ kind: check.kind === "checkpoint" ? "asked" : "refused", index }] : [];
    });
    const isAllowed = given.findings.allowedCall(compiled.name) !== null;
    return isAllowed ? wanted : [{ kind: "allowed", index: -1 }, ...wanted];
  }

  private solve(actions: readonly Action[]): void {
    for (const goal of this.goals()) this.reach(actions, goal);
    const last = actions.at(-1);
    if (last === undefined) return;
    let repeated = actions;
    // What is summed up may need the same call several times.
    for (let times = 1; times < most("calls_summed"); times++) {
      const left = this.goals().filter(({ index }) => this.bench.compiled.checks[index]?.kind === "aggregate");
      if (left.length === 0) return;
      repeated = [...repeated, last];
      for (const goal of left) this.reach(repeated, goal);
    }
  }

  private reach(actions: readonly Action[], goal: Goal): void {
    const { program, prober } = this.bench;
    const solved = solveSequence(program, actions, goal);
    const last = solved?.at(-1);
    if (solved === null || last?.kind !== "call") return;
    const visit: Visit | null = retrace(program, solved.slice(0, -1));
    if (visit !== null) prober.tryCall(visit, last.args);
  }
}
