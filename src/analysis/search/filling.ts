import { CHECK_ORDER } from "../../artifact/check-order.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Proposal, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { cut, isBeyond, most } from "../model/caps.js";
import { type SearchReport, Tally, Workbench } from "../model/workbench.js";
import { Counting, isSessionLimit } from "./counting.js";
import { type Search, type SearchBounds, type Visit, WITH_REJECTED_OUTPUTS } from "./search.js";

const FILL = (depth: number): SearchBounds => ({
  depth,
  states: most("states_filling"),
  name: "states_filling",
});
/** Where the limits begin in the order of checks: a call that gets this far passes the phase and precondition checks. */
const LIMITS = CHECK_ORDER.indexOf("max_steps");

function countsDistinct({ body }: PackRule): boolean {
  return body.kind === "aggregate" && body.aggregate.metric === "count_distinct";
}

/** Calls other tools until the bound of a rule is reached; the tool itself may be callable too rarely, or never. */
export function fill({ under, compiled, given }: Workbench, rule: PackRule): SearchReport {
  const { body } = rule;
  // If the same call cannot be repeated immediately, another one has to come in between.
  const between = compiled.checks.some(({ kind }) => kind === "loop_detection") ? under.cone.fillersAmong() : [];
  const isOfOthers = body.kind === "aggregate" || isSessionLimit(rule);
  if (!isOfOthers && (body.kind !== "max_calls_per_tool" || between.length === 0)) return new Tally();
  const tools = body.kind === "aggregate" ? body.aggregate.tools : null;
  const fillers = isOfOthers ? under.cone.fillersAmong(tools === null ? null : new Set(tools)) : [];
  const names = under.cone.of([compiled.name, ...fillers, ...between]);
  return new Filling(new Workbench(under, compiled, { ...given, names }), rule).run();
}

class Filling {
  private readonly counting: Counting;
  private readonly tally = new Tally();

  constructor(
    private readonly bench: Workbench,
    private readonly rule: PackRule,
  ) {
    this.counting = new Counting(bench);
  }

  run(): SearchReport {
    const { program, moves } = this.bench;
    const hasRejectedOutputs = [...program.tools.values()].some((tool) => moves.rejectedOutputs(tool).length > 0);
    let starts = 0;
    this.look(this.counting.search(this.rule, FILL), (visit) => {
      starts += 1;
      if (isBeyond(starts, "starts_filling")) return;
      this.repeatOthers(visit, false);
      if (hasRejectedOutputs) this.repeatOthers(visit, true);
    });
    if (!hasRejectedOutputs || !isSessionLimit(this.rule) || !this.counting.isNew(this.rule)) return this.tally;
    this.look(this.counting.search(this.rule, FILL, WITH_REJECTED_OUTPUTS), () => undefined);
    return this.tally;
  }

  /** Tries the tool in the states of a search; `inTime` gets the states where only limits or later checks refuse it. */
  private look(search: Search, inTime: (visit: Visit) => void): void {
    for (const visit of search.visits()) {
      if (this.bench.prober.examine(visit) >= LIMITS) inTime(visit);
      if (!this.counting.isNew(this.rule)) break;
    }
    this.tally.close(search);
  }

  /** Repeated calls: first of tools that keep the phase, then of those that advance it, last of the tool itself. */
  private repeatOthers(from: Visit, isRejected: boolean): void {
    const forbidding = this.bench.compiled.checks.flatMap((check) =>
      check.kind === "forbidden_by" ? check.tools : [],
    );
    const harmless = [...this.bench.program.tools.values()].filter(({ name }) =>
      forbidding.every(({ tool }) => tool !== name),
    );
    const rank = (tool: Tool) => Number(tool.advancesTo !== null) + 2 * Number(tool === this.bench.prober.tool);
    const tools = harmless.sort((a, b) => rank(a) - rank(b));
    let visit: Visit | null = from;
    for (
      let serial = 1;
      visit !== null && this.counting.isNew(this.rule) && visit.node.depth < this.bench.given.bounds.depth;
      serial++
    ) {
      const { session }: Visit = visit;
      visit = this.counting.after(visit, this.callsOf(tools, session, serial), isRejected);
      // A limit refuses only once it is reached.
      const isNear = visit !== null && (this.counting.remaining(this.rule, visit.session) ?? 0) <= 0;
      if (visit !== null && isNear) this.bench.prober.examine(visit);
      if (visit !== null && visit.node.depth >= this.bench.given.bounds.depth) cut("depth");
      this.tally.explored += 1;
    }
  }

  /** The calls of all tools in turn; a generator, because most are never needed. */
  private *callsOf(tools: readonly Tool[], session: Session, serial: number): Generator<Proposal> {
    const { moves } = this.bench;
    for (const tool of tools) {
      if (whyHidden(this.bench.program, session, tool) !== null) continue;
      // If distinct values are counted, repeating a value adds nothing.
      if (countsDistinct(this.rule)) yield* moves.fresh(tool, session, serial);
      yield* moves.likely(tool, session);
      if (!countsDistinct(this.rule)) yield* moves.fresh(tool, session, serial);
    }
  }
}
