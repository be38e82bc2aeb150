import { CHECK_ORDER } from "../artifact/check-order.js";
import type { CompiledTool } from "../artifact/compiled.js";
import type { PackRule } from "../artifact/pack-rules.js";
import { canonicalJson } from "../base/canonical-json.js";
import { sumNumber } from "../base/exact-sum.js";
import type { Json } from "../base/json.js";
import { advance } from "../guard/advance.js";
import { contributionOf } from "../guard/aggregate.js";
import { judge } from "../guard/decide.js";
import type { Program } from "../guard/program.js";
import { copySession, newSession, type Proposal, proposalOf, type Session } from "../guard/session.js";
import { Abstraction, aggregateValue, type Counter } from "./abstraction.js";
import type { Findings } from "./findings.js";
import { Goals, isCumulative, mainReason } from "./goals.js";
import { Moves } from "./moves.js";
import type { PackUnderTest } from "./pack-under-test.js";
import { Prober } from "./prober.js";
import { perform, Search, type SearchBounds, signalOf, type Visit } from "./search.js";
import { principalVariants } from "./values/principal-variants.js";

/** After so many states without anything new, only rules that were not seen at all keep a search going. */
const PATIENCE = 100;

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

/** How a search for one tool went. */
export interface SearchReport {
  readonly explored: number;
  readonly hit: ReadonlySet<"depth" | "states">;
}

/** Looks for the calls of one tool that are allowed, and that each of its rules refuses. */
export class ToolSearch {
  private readonly program: Program;
  private readonly moves: Moves;
  private readonly prober: Prober;
  private readonly rules: readonly PackRule[];
  private readonly hit = new Set<"depth" | "states">();
  private explored = 0;
  /** Rules that no large step brings nearer: any step will do. */
  private readonly hasty = new Set<PackRule>();
  /** The rules that many calls are to bring about. */
  private sought: ReadonlySet<PackRule> = new Set();
  /** The first state in which the tool is allowed. */
  private open: Visit | null = null;

  constructor(
    private readonly under: PackUnderTest,
    private readonly compiled: CompiledTool,
    private readonly given: {
      readonly findings: Findings;
      readonly bounds: SearchBounds;
      readonly principal: Json | null;
      /** The tools to be called; those with a bearing on the tool where nobody says otherwise. */
      readonly names?: ReadonlySet<string>;
      /** Whether no other principals are to be tried. */
      readonly isLast?: boolean;
    },
  ) {
    const { findings, principal } = given;
    this.program = under.slice(given.names ?? under.influence.on([compiled.name]), principal);
    this.moves = new Moves(this.program, under.library);
    this.rules = under.rules.ofTool(compiled.name);
    this.prober = new Prober(this.program, compiled, {
      rules: under.rules,
      findings,
      moves: this.moves,
      library: under.library,
      circumstances: { principal, env: under.env },
    });
  }

  /** Everything but the rules that need many calls, and those about who is calling. */
  run(): SearchReport {
    const { given } = this;
    const { findings } = given;
    const goals = new Goals(this.compiled.name, this.rules, findings);
    const search = this.search(new Abstraction(this.program, this.prober.tool));
    let latest = 0;
    for (const visit of search.visits()) {
      const before = findings.size;
      this.prober.visit(visit);
      if (search.visited - latest <= PATIENCE && goals.hasUnseenReason) this.prober.visitOpen(visit);
      if (findings.size > before) latest = search.visited;
      if (this.open === null && this.isAllowed(visit.session)) this.open = visit;
      const isTired = search.visited - latest > PATIENCE;
      if (!goals.isUnmet && (isTired || (!goals.isOpen && !goals.hasUnseenReason))) break;
    }
    this.close(search);
    this.tryPrincipals();
    if (findings.allowedCall(this.compiled.name) === null && given.isLast !== true) this.tryOthers();
    return { explored: this.explored, hit: this.hit };
  }

  /** Who may call the tool, and most of those it needs, need not be among the principals that the whole pack tells apart. */
  private tryOthers(): void {
    const { under, compiled, given, program } = this;
    const packs = [program.pack, { ...program.pack, tools: [compiled] }];
    const known = new Set(under.principalsFor(new Set()).map(({ principal }) => canonicalJson(principal)));
    for (const principal of packs.flatMap((pack) => principalVariants(pack, program.env))) {
      if (known.size === known.add(canonicalJson(principal)).size) continue;
      const search = new ToolSearch(under, compiled, { ...given, principal, isLast: true });
      if (!search.isWelcome()) continue;
      const { explored, hit } = search.run();
      this.explored += explored;
      for (const bound of hit) this.hit.add(bound);
    }
  }

  /** Whether the policies let the principal call the tool. */
  private isWelcome(): boolean {
    const { tool } = this.prober;
    const policy = tool.checks.find(({ kind }) => kind === "policy");
    return policy?.run(proposalOf(tool, {}), newSession(this.program), this.program) === null;
  }

  /** Who is refused by a policy is so from the beginning, also where the policy was seen to refuse other tools. */
  private tryPrincipals(): void {
    const { under, compiled, given } = this;
    const { name } = compiled;
    if (given.findings.reasons(name).has("policy_denied")) return;
    const refused = under.principalsFor(new Set([name])).find(({ refusals }) => refusals.has(name));
    if (refused !== undefined) new ToolSearch(under, compiled, { ...given, principal: refused.principal }).begin();
  }

  /** Only what happens in a new session. */
  private begin(): void {
    for (const visit of this.search(new Abstraction(this.program, this.prober.tool)).visits()) {
      this.prober.visit(visit);
      return;
    }
  }

  /** One rule alone; for those about who is calling. */
  runFor(rule: PackRule): SearchReport {
    const search = this.search(new Abstraction(this.program, this.prober.tool));
    for (const visit of search.visits()) {
      this.prober.visit(visit);
      const isSeen = this.given.findings.rule(rule.id).together !== null;
      if (!this.isUnseen(rule) || (isSeen && search.visited > PATIENCE)) break;
    }
    this.close(search);
    return { explored: this.explored, hit: this.hit };
  }

  /** The rules that many calls bring about; to be run after `run`. */
  runCumulative(): SearchReport {
    const { findings } = this.given;
    const wanted = this.rules.filter((rule) => this.isWanted(rule));
    this.sought = new Set(wanted.filter(({ id, tools }) => tools.length === 1 || findings.mayDrive(id)));
    if (this.open !== null) {
      this.repeatOne(this.open);
      this.repeatVaried(this.open);
      this.repeatVaried(this.inOneStep(this.open));
    }
    for (const rule of this.sought)
      if (this.isUnseen(rule) || (this.isNew(rule) && !isOfSession(rule))) this.drive(rule);
    for (const rule of this.sought) if (this.isNew(rule)) this.fill(rule);
    return { explored: this.explored, hit: this.hit };
  }

  private search(abstraction: Abstraction): Search {
    return new Search(this.program, abstraction, this.moves, this.given.bounds);
  }

  private close({ visited, hit }: Search): void {
    this.explored += visited;
    for (const bound of hit) this.hit.add(bound);
  }

  private isAllowed(session: Session): boolean {
    return this.allowedCalls(session).length > 0;
  }

  private allowedCalls(session: Session): readonly Proposal[] {
    const calls = this.moves.likely(this.prober.tool, session);
    return calls.filter((proposal) => judge(this.program, session, proposal) === null);
  }

  private isUnseen({ id }: PackRule): boolean {
    return this.given.findings.rule(id).alone === null;
  }

  /** Not seen to refuse by itself, or no call of this tool; it may be a rule for others too. */
  private isWanted(rule: PackRule): boolean {
    return isCumulative(rule) && (this.isNew(rule) || this.isUnseen(rule));
  }

  /** No call of this tool was seen to be refused for the reason of the rule. */
  private isNew(rule: PackRule): boolean {
    const reason = mainReason(rule);
    return reason !== undefined && !this.given.findings.reasons(this.compiled.name).has(reason);
  }

  private isMissing(): boolean {
    return [...this.sought].some((rule) => this.isWanted(rule));
  }

  /** The same call again and again, also where only an output that breaks a rule leaves the session where it is. */
  private repeatOne(from: Visit): void {
    const [call] = this.allowedCalls(from.session);
    if (call === undefined) return;
    this.repeat(from, () => [call]);
    const [broken] = call.tool.advancesTo === null ? [] : this.moves.brokenOutputs(call.tool);
    if (broken !== undefined) this.repeat(from, () => [call], broken);
  }

  /** Calls of the tool, those first that add most. */
  private repeatVaried(from: Visit): void {
    const weight = (proposal: Proposal) => {
      let sum = 0;
      for (const index of this.prober.tool.aggregates) sum += this.gain(index, proposal);
      return sum;
    };
    this.repeat(from, (session, serial) =>
      [...this.moves.fresh(this.prober.tool, session, serial), ...this.moves.probing(this.prober.tool, session)].sort(
        (a, b) => weight(b) - weight(a),
      ),
    );
  }

  /** Calls of one step take no further steps, so that a limit of calls can be met before one of steps. */
  private inOneStep({ node, session: before }: Visit): Visit {
    const session = copySession(before);
    const action = { kind: "step" } as const;
    advance(this.program, session, signalOf(action));
    return { node: { parent: node, action, depth: node.depth + 1 }, session };
  }

  private repeat(
    from: Visit,
    callsIn: (session: Session, serial: number) => readonly Proposal[],
    output: Json | undefined = undefined,
  ): void {
    let visit: Visit | null = from;
    for (let serial = 1; visit !== null && this.isMissing(); serial++) {
      if (visit.node.depth >= this.given.bounds.depth) {
        this.hit.add("depth");
        return;
      }
      visit = this.after(visit, callsIn(visit.session, serial), output);
      if (visit !== null) this.prober.visit(visit);
      this.explored += 1;
    }
  }

  private after({ node, session }: Visit, calls: readonly Proposal[], answer?: Json): Visit | null {
    const call = calls.find((proposal) => judge(this.program, session, proposal) === null);
    if (call === undefined) return null;
    const output = answer ?? this.moves.outputs(call.tool)[0] ?? null;
    const outcome = { kind: "result", output } as const;
    const { session: next } = perform(this.program, session, call, outcome);
    const action = { kind: "call", tool: call.tool.name, args: call.args, outcome } as const;
    return { node: { parent: node, action, depth: node.depth + 1 }, session: next };
  }

  private gain(index: number, { args }: Proposal): number {
    const aggregate = this.program.aggregates[index];
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
        return body.max - (session.callsOf.get(this.compiled.name) ?? 0);
      default:
        return null;
    }
  }

  /**
   * One call of the tool after the other, each by the shortest way from where the last one left the session, until the
   * rule refuses one by itself.
   */
  private drive(rule: PackRule): void {
    let visit: Visit | null = this.open;
    do visit = this.leg(rule, visit);
    while (visit !== null && this.isWanted(rule));
  }

  /** The way to a state that is nearer to the bound of the rule, and in which the tool may be called again. */
  private leg(rule: PackRule, from: Visit | null): Visit | null {
    const pursued = this.pursued(rule);
    const abstraction = new Abstraction(this.program, this.prober.tool, pursued);
    const search = new Search(this.program, abstraction, this.moves, LEG(this.given.bounds.depth), this.prober.tool);
    const enough = this.hasty.has(rule) ? 0 : this.best(rule) / 2;
    let fallback: Visit | null = null;
    let start: number | null = null;
    for (const visit of from === null ? search.visits() : search.visits(from)) {
      start ??= pursued(visit.session);
      const gained = pursued(visit.session) - start;
      const remaining = this.remaining(rule, visit.session);
      // A sum may be exceeded wherever it has grown; a limit only once it is reached.
      if (remaining === null ? gained > 0 || visit === from : remaining <= 0) this.prober.visit(visit);
      if (!this.isWanted(rule)) break;
      if (gained <= 0 || !this.isAllowed(visit.session)) continue;
      fallback ??= visit;
      if (gained < enough) continue;
      fallback = visit;
      break;
    }
    this.close(search);
    if (fallback !== null && pursued(fallback.session) - (start ?? 0) < enough) this.hasty.add(rule);
    return this.isWanted(rule) ? fallback : null;
  }

  /** Calls of others until a bound is reached; the tool itself may be callable too seldom, or never. */
  private fill(rule: PackRule): void {
    const { body } = rule;
    if (body.kind !== "aggregate" && !isOfSession(rule)) return;
    const { under, compiled, given } = this;
    const tools = body.kind === "aggregate" ? body.aggregate.tools : null;
    const fillers = under.influence.free(tools === null ? null : new Set(tools));
    const wide = new ToolSearch(under, compiled, {
      ...given,
      names: new Set([...under.influence.on([compiled.name]), ...fillers]),
    });
    wide.fillUp(rule);
    this.explored += wide.explored;
  }

  private fillUp(rule: PackRule): void {
    const abstraction = new Abstraction(this.program, this.prober.tool, this.pursued(rule));
    const search = new Search(this.program, abstraction, this.moves, FILL(this.given.bounds.depth), this.prober.tool);
    let starts = 0;
    for (const visit of search.visits()) {
      const isInTime = this.prober.visit(visit) >= LIMITS;
      if (isInTime && starts < MOST_STARTS) this.repeatOthers(visit, rule);
      if (isInTime) starts += 1;
      if (!this.isNew(rule)) break;
    }
    this.explored += search.visited;
  }

  /** One call after the other, of tools that leave the phase as it is before those that advance. */
  private repeatOthers(from: Visit, rule: PackRule): void {
    const forbidding = this.compiled.checks.flatMap((check) => (check.kind === "forbidden_by" ? check.tools : []));
    const harmless = [...this.program.tools.values()].filter(({ name }) =>
      forbidding.every(({ tool }) => tool !== name),
    );
    const tools = harmless.sort((a, b) => Number(a.advancesTo !== null) - Number(b.advancesTo !== null));
    let visit: Visit | null = from;
    for (let serial = 1; visit !== null && this.isNew(rule) && visit.node.depth < this.given.bounds.depth; serial++) {
      const { session }: Visit = visit;
      const calls = tools.flatMap((tool) => [
        ...this.moves.likely(tool, session),
        ...this.moves.fresh(tool, session, serial),
      ]);
      visit = this.after(visit, calls);
      if (visit !== null) this.prober.visit(visit);
      this.explored += 1;
    }
  }

  /** What the rule counts. */
  private pursued({ body }: PackRule): Counter {
    const { aggregates } = this.program;
    if (body.kind === "aggregate") {
      const index = aggregates.findIndex(({ name }) => name === body.aggregate.name);
      const sign =
        body.aggregate.lte === null && body.aggregate.when.every(({ then_lte: lte }) => lte === null) ? -1 : 1;
      const value = aggregateValue(body.aggregate, index);
      return (session) => sign * value(session);
    }
    if (body.kind === "max_calls_per_tool") return ({ callsOf }) => callsOf.get(this.compiled.name) ?? 0;
    return body.kind === "max_steps" ? ({ ownSteps }) => ownSteps : ({ toolCalls }) => toolCalls;
  }

  private worth({ body }: PackRule, proposal: Proposal): number {
    if (body.kind !== "aggregate") return 1;
    return this.gain(
      this.program.aggregates.findIndex(({ name }) => name === body.aggregate.name),
      proposal,
    );
  }

  private best(rule: PackRule): number {
    const { good } = this.under.library.argumentsOf(this.compiled.name);
    return Math.max(0, ...good.map((args) => this.worth(rule, proposalOf(this.prober.tool, args))));
  }
}
