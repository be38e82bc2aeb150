import type { PackRule } from "../../artifact/pack-rules.js";
import type { Proposal } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { cut, most } from "../model/caps.js";
import { type SearchReport, Tally, type Workbench } from "../model/workbench.js";
import { Counting, isSessionLimit } from "./counting.js";
import { fill } from "./filling.js";
import { type SearchBounds, signalled, type Visit } from "./search.js";

/** The next call of a tool is few states away, or there is none. */
const LEG = (depth: number): SearchBounds => ({
  depth,
  states: most("states_per_leg"),
  name: "states_per_leg",
});

/** How many calls, or steps, a limit of the session allows. */
function mostOf({ body }: PackRule): number {
  return body.kind === "max_steps" || body.kind === "max_tool_calls" ? body.max : Number.POSITIVE_INFINITY;
}

/** Drives the rules of a tool that count to their bounds. */
export class CumulativeSearch {
  private readonly tally = new Tally();
  private readonly rules: readonly PackRule[];
  private readonly counting: Counting;
  /** Rules for which no call adds a large amount: any amount will do. */
  private readonly anyStep = new Set<PackRule>();
  /** Rules whose bound was not reached before a search ended. */
  private readonly givenUp = new Set<PackRule>();
  private sought: ReadonlySet<PackRule> = new Set();

  constructor(
    private readonly bench: Workbench,
    /** The first state in which the tool is allowed. */
    private readonly open: Visit | null,
  ) {
    this.rules = bench.under.rules.ofTool(bench.compiled.name);
    this.counting = new Counting(bench);
  }

  run(): SearchReport {
    const { findings } = this.bench.given;
    const wanted = this.rules.filter((rule) => this.counting.isWanted(rule));
    this.sought = new Set(
      wanted.filter(({ id, tools }) => tools.length === 1 || findings.mayDrive(id, this.open !== null)),
    );
    if (this.open !== null) {
      this.repeatOne(this.open);
      this.repeatVaried(this.open);
      this.repeatVaried(this.inOneStep(this.open));
    }
    for (const rule of this.sought) if (this.isWorthDriving(rule)) this.drive(rule);
    for (const rule of this.sought) if (this.counting.isNew(rule)) this.fillFor(rule);
    // For rules that were skipped or given up, it is not known whether this tool can reach their bounds.
    const isOpen = ({ id }: PackRule) => findings.rule(id).alone === null && findings.rule(id).together === null;
    const isUntried = (rule: PackRule) => !this.sought.has(rule) || this.givenUp.has(rule);
    if (wanted.some((rule) => isUntried(rule) && isOpen(rule))) this.tally.hit.add("states");
    return this.tally;
  }

  private fillFor(rule: PackRule): void {
    const { explored, hit } = fill(this.bench, rule);
    this.tally.explored += explored;
    if (hit.size > 0) this.givenUp.add(rule);
  }

  private isWorthDriving(rule: PackRule): boolean {
    // A leg opens no step, so that its calls never meet it.
    if (this.isPreempted(rule) || rule.body.kind === "max_calls_per_step") return false;
    if (!isSessionLimit(rule)) return this.counting.isWanted(rule);
    // Each call is a step here, so the lower of two limits is met first.
    const hasLowerLimit = this.rules.some((other) => isSessionLimit(other) && mostOf(other) < mostOf(rule));
    return this.bench.isUnseen(rule) && !hasLowerLimit;
  }

  /** Whether a call limit refuses the tool before it can be called often enough for a loop. */
  private isPreempted({ body }: PackRule): boolean {
    const limits = this.rules.flatMap((rule) => (rule.body.kind === "max_calls_per_tool" ? [rule.body.max] : []));
    return body.kind === "loop_detection" && Math.min(...limits) < body.threshold;
  }

  private isMissing(): boolean {
    return [...this.sought].some((rule) => this.counting.isWanted(rule));
  }

  /** The same call repeated; once more with rejected outputs if the call would otherwise change the phase. */
  private repeatOne(from: Visit): void {
    const [call] = this.bench.allowedCalls(from.session);
    if (call === undefined) return;
    this.repeat(from, () => [call]);
    if (call.tool.advancesTo !== null) this.repeat(from, () => [call], true);
  }

  /** Varied calls of the tool; those that add most to its aggregates come first. */
  private repeatVaried(from: Visit): void {
    const { moves, prober } = this.bench;
    const { tool } = prober;
    const weight = (proposal: Proposal) =>
      tool.aggregates.reduce((sum, index) => sum + this.counting.gain(index, proposal), 0);
    const unlike = (session: Session, serial: number) => [
      ...moves.fresh(tool, session, serial),
      ...moves.likely(tool, session),
    ];
    const heaviest = (session: Session, serial: number) =>
      [...moves.fresh(tool, session, serial), ...moves.probing(tool, session)].sort((a, b) => weight(b) - weight(a));
    this.repeat(from, tool.aggregates.length === 0 ? unlike : heaviest);
  }

  /** Starts one step for all following calls, so that a limit on calls can be met before one on steps. */
  private inOneStep({ node, session: before }: Visit): Visit {
    const action = { kind: "step" } as const;
    const session = signalled(this.bench.program, before, action);
    return { node: { parent: node, action, depth: node.depth + 1 }, session };
  }

  private repeat(
    from: Visit,
    callsIn: (session: Session, serial: number) => readonly Proposal[],
    isRejected = false,
  ): void {
    let visit = from;
    for (let serial = 1; this.isMissing(); serial++) {
      if (visit.node.depth >= this.bench.given.bounds.depth) {
        this.tally.hit.add("depth");
        cut("depth");
        return;
      }
      const next = this.counting.after(visit, callsIn(visit.session, serial), isRejected);
      if (next === null || this.isNear(next.session)) this.bench.prober.examine(next ?? visit);
      this.tally.explored += 1;
      if (next === null) return;
      visit = next;
    }
  }

  /** Whether a wanted rule may refuse in a state; a limit refuses only once it is reached. */
  private isNear(session: Session): boolean {
    return [...this.sought].some(
      (rule) => (this.counting.remaining(rule, session) ?? 0) <= 0 && this.counting.isWanted(rule),
    );
  }

  /**
   * Calls of the tool, each by the shortest path from the state after the last one, until the rule alone refuses one.
   */
  private drive(rule: PackRule): void {
    this.driveOn(rule, false);
    // If calls also add to a bounded aggregate, the calls that add least leave room for the most calls.
    const isLimit = rule.body.kind !== "aggregate" && rule.body.kind !== "loop_detection";
    if (isLimit && this.bench.prober.tool.aggregates.length > 0 && this.counting.isWanted(rule))
      this.driveOn(rule, true);
  }

  private driveOn(rule: PackRule, prefersSmallSteps: boolean): void {
    // Calls before its window do not matter to a loop.
    const most = rule.body.kind === "loop_detection" ? rule.body.window * 3 : Number.POSITIVE_INFINITY;
    let from: Visit | null = this.open;
    for (let legs = 0; legs < most && this.counting.isWanted(rule); legs++) {
      const next = this.leg(rule, from, prefersSmallSteps);
      if (next === null) return;
      if (this.isHopeless(rule, from, next)) break;
      from = next;
    }
    if (this.counting.isWanted(rule)) cut("depth");
    this.givenUp.add(rule);
  }

  /** Whether a sum grows too slowly to reach its bound within the depth of the search. */
  private isHopeless(rule: PackRule, from: Visit | null, { session }: Visit): boolean {
    const { body } = rule;
    if (body.kind !== "aggregate" || from === null) return false;
    const bounds = [body.aggregate.lte, ...body.aggregate.when.map(({ then_lte: lte }) => lte)];
    const upper = bounds.filter((bound) => bound !== null);
    const pursued = this.counting.pursued(rule);
    const gained = pursued(session) - pursued(from.session);
    return upper.length > 0 && Math.max(...upper) - pursued(session) > gained * this.bench.given.bounds.depth;
  }

  /** The next state that is nearer to the bound of the rule and in which the tool may be called again. */
  private leg(rule: PackRule, from: Visit | null, prefersSmallSteps: boolean): Visit | null {
    const pursued = this.counting.pursued(rule);
    const enough = this.anyStep.has(rule) ? 0 : this.counting.best(rule) / 2;
    const search = this.counting.search(rule, LEG);
    let fallback: Visit | null = null;
    let best: Visit | null = null;
    let start: number | null = null;
    const level: Visit[] = [];
    for (const visit of from === null ? search.visits() : search.visits(from)) {
      if (best !== null && visit.node.depth > best.node.depth) break;
      start ??= pursued(visit.session);
      const gained = pursued(visit.session) - start;
      if (visit === from || gained > 0) this.tryAt(visit, rule);
      else level.push(visit);
      if (!this.counting.isWanted(rule)) break;
      if (gained <= 0 || !this.bench.isAllowed(visit.session)) continue;
      fallback ??= visit;
      if (gained < enough) continue;
      if (best === null || this.counting.used(visit.session) < this.counting.used(best.session)) best = visit;
      if (!prefersSmallSteps) break;
    }
    this.tally.explored += search.visited;
    if (search.hit.size > 0) this.givenUp.add(rule);
    // If no state has a higher count, the call that exceeds the bound may still need another call before it.
    if (fallback === null) this.tryAll(level, rule);
    if (best === null && fallback !== null) this.anyStep.add(rule);
    return this.counting.isWanted(rule) ? (best ?? fallback) : null;
  }

  private tryAll(visits: readonly Visit[], rule: PackRule): void {
    for (const visit of visits) {
      if (!this.counting.isWanted(rule)) return;
      this.tryAt(visit, rule);
    }
  }

  /** A sum may be exceeded in any state; a limit only once it is reached. */
  private tryAt(visit: Visit, rule: PackRule): void {
    if ((this.counting.remaining(rule, visit.session) ?? 0) <= 0) this.bench.prober.examine(visit);
  }
}
