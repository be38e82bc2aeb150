import { CHECK_ORDER } from "../artifact/check-order.js";
import type { PackRule } from "../artifact/pack-rules.js";
import { sumNumber } from "../base/exact-sum.js";
import { advance } from "../guard/advance.js";
import { contributionOf } from "../guard/aggregate.js";
import { judge } from "../guard/decide.js";
import type { Tool } from "../guard/program.js";
import { copySession, type Proposal, proposalOf, type Session } from "../guard/session.js";
import { Abstraction, aggregateValue, type Counter } from "./abstraction.js";
import { isCumulative, mainReason } from "./goals.js";
import { perform, Search, type SearchBounds, signalOf, type Visit } from "./search.js";
import { type SearchReport, Tally, Workbench } from "./workbench.js";

/** The way to the next call of a tool is short, or there is none. */
const LEG = (depth: number): SearchBounds => ({ depth, states: 120 });

const FILL = (depth: number): SearchBounds => ({ depth, states: 60 });
/** Where in the order of checks the limits begin: what comes so far is called at the right time. */
const LIMITS = CHECK_ORDER.indexOf("max_steps");
/** From so many states a session is filled with calls of other tools. */
const MOST_STARTS = 2;

/** Whether calls of any tool add up to the bound of a rule. */
function isOfSession({ body: { kind } }: PackRule): boolean {
  return kind === "max_steps" || kind === "max_tool_calls";
}

/** How many calls, or steps, a limit of the session allows. */
function mostOf({ body }: PackRule): number {
  return body.kind === "max_steps" || body.kind === "max_tool_calls" ? body.max : Number.POSITIVE_INFINITY;
}

function countsDistinct({ body }: PackRule): boolean {
  return body.kind === "aggregate" && body.aggregate.metric === "count_distinct";
}

/** Drives the rules of a tool that count to their bounds. */
export class CumulativeSearch {
  private readonly tally = new Tally();
  private readonly rules: readonly PackRule[];
  /** Rules that no large step brings nearer: any step will do. */
  private readonly hasty = new Set<PackRule>();
  private sought: ReadonlySet<PackRule> = new Set();

  constructor(
    private readonly bench: Workbench,
    /** The first state in which the tool is allowed. */
    private readonly open: Visit | null,
  ) {
    this.rules = bench.under.rules.ofTool(bench.compiled.name);
  }

  run(): SearchReport {
    const { findings } = this.bench.given;
    const wanted = this.rules.filter((rule) => this.isWanted(rule));
    this.sought = new Set(
      wanted.filter(({ id, tools }) => tools.length === 1 || findings.mayDrive(id, this.open !== null)),
    );
    if (this.open !== null) {
      this.repeatOne(this.open);
      this.repeatVaried(this.open);
      this.repeatVaried(this.inOneStep(this.open));
    }
    for (const rule of this.sought) if (this.isWorthDriving(rule)) this.drive(rule);
    for (const rule of this.sought) if (this.isNew(rule)) this.fill(rule);
    // Of what was passed over it is not known that this tool could not have brought it about.
    const isOpen = ({ id }: PackRule) => findings.rule(id).alone === null && findings.rule(id).together === null;
    if (wanted.some((rule) => !this.sought.has(rule) && isOpen(rule))) this.tally.hit.add("states");
    return this.tally;
  }

  /** Not seen to refuse by itself, or no call of this tool; it may be a rule for others too. */
  private isWanted(rule: PackRule): boolean {
    return isCumulative(rule) && (this.isNew(rule) || this.bench.isUnseen(rule));
  }

  /** No call of this tool was seen to be refused for the reason of the rule. */
  private isNew(rule: PackRule): boolean {
    const reason = mainReason(rule);
    return reason !== undefined && !this.bench.given.findings.reasons(this.bench.compiled.name).has(reason);
  }

  private isWorthDriving(rule: PackRule): boolean {
    if (!isOfSession(rule)) return this.isWanted(rule);
    // Each call is a step here: of two limits the lower one is met first.
    const isLast = this.rules.some((other) => isOfSession(other) && mostOf(other) < mostOf(rule));
    return this.bench.isUnseen(rule) && !isLast;
  }

  private isMissing(): boolean {
    return [...this.sought].some((rule) => this.isWanted(rule));
  }

  /** The same call again and again, also where only an output that breaks a rule leaves the session where it is. */
  private repeatOne(from: Visit): void {
    const [call] = this.bench.allowedCalls(from.session);
    if (call === undefined) return;
    this.repeat(from, () => [call]);
    if (call.tool.advancesTo !== null) this.repeat(from, () => [call], true);
  }

  /** Calls of the tool, those first that add most where they add to something. */
  private repeatVaried(from: Visit): void {
    const { moves, prober } = this.bench;
    const { tool } = prober;
    const weight = (proposal: Proposal) => tool.aggregates.reduce((sum, index) => sum + this.gain(index, proposal), 0);
    const unlike = (session: Session, serial: number) => [
      ...moves.fresh(tool, session, serial),
      ...moves.likely(tool, session),
    ];
    const heaviest = (session: Session, serial: number) =>
      [...moves.fresh(tool, session, serial), ...moves.probing(tool, session)].sort((a, b) => weight(b) - weight(a));
    this.repeat(from, tool.aggregates.length === 0 ? unlike : heaviest);
  }

  /** Calls of one step take no further steps, so that a limit of calls can be met before one of steps. */
  private inOneStep({ node, session: before }: Visit): Visit {
    const session = copySession(before);
    const action = { kind: "step" } as const;
    advance(this.bench.program, session, signalOf(action));
    return { node: { parent: node, action, depth: node.depth + 1 }, session };
  }

  private repeat(
    from: Visit,
    callsIn: (session: Session, serial: number) => readonly Proposal[],
    isVoid = false,
  ): void {
    let visit = from;
    for (let serial = 1; this.isMissing(); serial++) {
      if (visit.node.depth >= this.bench.given.bounds.depth) {
        this.tally.hit.add("depth");
        return;
      }
      const next = this.after(visit, callsIn(visit.session, serial), isVoid);
      if (next === null || this.isNear(next.session)) this.bench.prober.visit(next ?? visit);
      this.tally.explored += 1;
      if (next === null) return;
      visit = next;
    }
  }

  /** Whether a rule that is looked for may refuse in a state: a limit does so only once it is reached. */
  private isNear(session: Session): boolean {
    return [...this.sought].some((rule) => (this.remaining(rule, session) ?? 0) <= 0 && this.isWanted(rule));
  }

  /** Where the first of the calls that is allowed leads; one with a void output counts, and leaves the session where it is. */
  private after({ node, session }: Visit, calls: readonly Proposal[], isVoid: boolean): Visit | null {
    const { program, moves } = this.bench;
    const call = calls.find((proposal) => judge(program, session, proposal) === null);
    if (call === undefined) return null;
    const [output = null] = [...(isVoid ? moves.brokenOutputs(call.tool) : []), ...moves.outputs(call.tool)];
    const outcome = { kind: "result", output } as const;
    const { session: next } = perform(program, session, call, outcome);
    const action = { kind: "call", tool: call.tool.name, args: call.args, outcome } as const;
    return { node: { parent: node, action, depth: node.depth + 1 }, session: next };
  }

  private gain(index: number, { args }: Proposal): number {
    const aggregate = this.bench.program.aggregates[index];
    const contribution = aggregate === undefined ? null : contributionOf(aggregate, args);
    if (!contribution) return 0;
    return sumNumber(contribution.total) + contribution.distinct.length + Math.max(0, ...contribution.values);
  }

  /** How many more calls a limit allows; null for rules that do not count calls. */
  private remaining({ body }: PackRule, session: Session): number | null {
    switch (body.kind) {
      case "max_tool_calls":
        return body.max - session.toolCalls;
      case "max_steps":
        return body.max - session.ownSteps;
      case "max_calls_per_tool":
        return body.max - (session.callsOf.get(this.bench.compiled.name) ?? 0);
      default:
        return null;
    }
  }

  /**
   * One call of the tool after the other, each by the shortest way from where the last one left the session, until the
   * rule refuses one by itself.
   */
  private drive(rule: PackRule): void {
    this.driveOn(rule, false);
    // Where calls add to something else that has a bound, those that add least leave room for the most calls.
    const isLimit = rule.body.kind !== "aggregate" && rule.body.kind !== "loop_detection";
    if (isLimit && this.bench.prober.tool.aggregates.length > 0 && this.isWanted(rule)) this.driveOn(rule, true);
  }

  private driveOn(rule: PackRule, isSparing: boolean): void {
    // What lies farther back than its window a loop does not hang on.
    const most = rule.body.kind === "loop_detection" ? rule.body.window * 3 : Number.POSITIVE_INFINITY;
    let from: Visit | null = this.open;
    for (let legs = 0; legs < most && this.isWanted(rule); legs++) {
      const next = this.leg(rule, from, isSparing);
      if (next === null || this.isHopeless(rule, from, next)) return;
      from = next;
    }
  }

  /** Whether a sum grows so slowly that a session is over before. */
  private isHopeless(rule: PackRule, from: Visit | null, { session }: Visit): boolean {
    const { body } = rule;
    if (body.kind !== "aggregate" || from === null) return false;
    const bounds = [body.aggregate.lte, ...body.aggregate.when.map(({ then_lte: lte }) => lte)];
    const upper = bounds.filter((bound) => bound !== null);
    const pursued = this.pursued(rule);
    const gained = pursued(session) - pursued(from.session);
    return upper.length > 0 && Math.max(...upper) - pursued(session) > gained * this.bench.given.bounds.depth;
  }

  /** The way to a state that is nearer to the bound of the rule, and in which the tool may be called again. */
  private leg(rule: PackRule, from: Visit | null, isSparing: boolean): Visit | null {
    const pursued = this.pursued(rule);
    const enough = this.hasty.has(rule) ? 0 : this.best(rule) / 2;
    const search = this.search(rule, LEG);
    let fallback: Visit | null = null;
    let best: Visit | null = null;
    let start: number | null = null;
    for (const visit of from === null ? search.visits() : search.visits(from)) {
      if (best !== null && visit.node.depth > best.node.depth) break;
      start ??= pursued(visit.session);
      const gained = pursued(visit.session) - start;
      if (visit === from || gained > 0) this.tryAt(visit, rule);
      if (!this.isWanted(rule)) break;
      if (gained <= 0 || !this.bench.isAllowed(visit.session)) continue;
      fallback ??= visit;
      if (gained < enough) continue;
      if (best === null || this.used(visit.session) < this.used(best.session)) best = visit;
      if (!isSparing) break;
    }
    this.tally.close(search);
    if (best === null && fallback !== null) this.hasty.add(rule);
    return this.isWanted(rule) ? (best ?? fallback) : null;
  }

  /** How much of their bounds the aggregates of the tool have come to. */
  private used(session: Session): number {
    let used = 0;
    for (const index of this.bench.prober.tool.aggregates) {
      const aggregate = this.bench.program.aggregates[index];
      if (aggregate?.lte) used += aggregateValue(aggregate, index)(session) / aggregate.lte;
    }
    return used;
  }

  /** A sum may be exceeded wherever it has grown; a limit only once it is reached. */
  private tryAt(visit: Visit, rule: PackRule): void {
    if ((this.remaining(rule, visit.session) ?? 0) <= 0) this.bench.prober.visit(visit);
  }

  private search(rule: PackRule, bounds: (depth: number) => SearchBounds): Search {
    const { program, prober, moves, given } = this.bench;
    const abstraction = new Abstraction(program, prober.tool, this.pursued(rule));
    return new Search(program, abstraction, moves, bounds(given.bounds.depth), prober.tool);
  }

  /** Calls of others until a bound is reached; the tool itself may be callable too seldom, or never. */
  private fill(rule: PackRule): void {
    const { body } = rule;
    if (body.kind !== "aggregate" && !isOfSession(rule)) return;
    const { under, compiled, given } = this.bench;
    const tools = body.kind === "aggregate" ? body.aggregate.tools : null;
    const fillers = under.influence.free(tools === null ? null : new Set(tools));
    const names = new Set([...under.influence.on([compiled.name]), ...fillers]);
    const wide = new CumulativeSearch(new Workbench(under, compiled, { ...given, names }), null);
    wide.fillUp(rule);
    this.tally.explored += wide.tally.explored;
  }

  private fillUp(rule: PackRule): void {
    const search = this.search(rule, FILL);
    const { program, moves } = this.bench;
    const hasVoids = [...program.tools.values()].some((tool) => moves.brokenOutputs(tool).length > 0);
    let starts = 0;
    for (const visit of search.visits()) {
      const isInTime = this.bench.prober.visit(visit) >= LIMITS;
      if (isInTime && starts < MOST_STARTS) this.repeatOthers(visit, rule, false);
      if (isInTime && starts < MOST_STARTS && hasVoids) this.repeatOthers(visit, rule, true);
      if (isInTime) starts += 1;
      if (!this.isNew(rule)) break;
    }
    this.tally.explored += search.visited;
  }

  /** One call after the other, of tools that leave the phase as it is before those that advance; its own at last. */
  private repeatOthers(from: Visit, rule: PackRule, isVoid: boolean): void {
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
      visit !== null && this.isNew(rule) && visit.node.depth < this.bench.given.bounds.depth;
      serial++
    ) {
      const { session }: Visit = visit;
      const calls = tools.flatMap((tool) => {
        const [likely, fresh] = [this.bench.moves.likely(tool, session), this.bench.moves.fresh(tool, session, serial)];
        // Where different values are counted, the same ones again bring nothing.
        return countsDistinct(rule) ? [...fresh, ...likely] : [...likely, ...fresh];
      });
      visit = this.after(visit, calls, isVoid);
      if (visit !== null) this.bench.prober.visit(visit);
      this.tally.explored += 1;
    }
  }

  /** What the rule counts. */
  private pursued({ body }: PackRule): Counter {
    const { aggregates } = this.bench.program;
    if (body.kind === "aggregate") {
      const index = aggregates.findIndex(({ name }) => name === body.aggregate.name);
      const sign =
        body.aggregate.lte === null && body.aggregate.when.every(({ then_lte: lte }) => lte === null) ? -1 : 1;
      const value = aggregateValue(body.aggregate, index);
      return (session) => sign * value(session);
    }
    if (body.kind === "max_calls_per_tool") return ({ callsOf }) => callsOf.get(this.bench.compiled.name) ?? 0;
    return body.kind === "max_steps" ? ({ ownSteps }) => ownSteps : ({ toolCalls }) => toolCalls;
  }

  private worth({ body }: PackRule, proposal: Proposal): number {
    if (body.kind !== "aggregate") return 1;
    return this.gain(
      this.bench.program.aggregates.findIndex(({ name }) => name === body.aggregate.name),
      proposal,
    );
  }

  private best(rule: PackRule): number {
    const { good } = this.bench.under.library.argumentsOf(this.bench.compiled.name);
    return Math.max(0, ...good.map((args) => this.worth(rule, proposalOf(this.bench.prober.tool, args))));
  }
}
