import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { cut, first, isBeyond, most } from "../model/caps.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import { type Given, type SearchReport, Tally, Workbench } from "../model/workbench.js";
import { SequenceSearch } from "../sequence/sequence-search.js";
import { Abstraction } from "../state/abstraction.js";
import { retrace } from "../trace/retrace.js";
import { principalVariants } from "../values/principal-variants.js";
import { CumulativeSearch } from "./cumulative-search.js";
import { GoalDistance } from "./goal-distance.js";
import { Goals } from "./goals.js";
import { MixedSessions } from "./mixed-sessions.js";
import {
  BEGINNING,
  directedBy,
  type Node,
  Search,
  type SearchExtensions,
  type Visit,
  WITH_REJECTED_OUTPUTS,
  within,
} from "./search.js";

/** A tool that needs fewer calls than this is soon found breadth first, by the shortest session. */
const NEAR = { calls: 4 } as const;

/** Searches for calls of one tool that are allowed, and for calls that each of its rules refuses. */
export class ToolSearch {
  private readonly bench: Workbench;
  private readonly rules: readonly PackRule[];
  private readonly tally = new Tally();
  private readonly goals: Goals;
  private readonly sequences: SequenceSearch;
  /** The first state in which the tool is allowed. */
  private open: Visit | null = null;

  constructor(
    private readonly under: PackUnderTest,
    private readonly compiled: CompiledTool,
    private readonly given: Given & {
      /** Whether `run` tries no other principals where none of its calls is allowed. */
      readonly keepsPrincipal?: boolean;
    },
  ) {
    this.bench = new Workbench(under, compiled, given);
    this.rules = under.rules.ofTool(compiled.name);
    this.sequences = new SequenceSearch(under, this.bench, (check) => under.rules.inCheck(check));
    this.goals = new Goals(compiled.name, this.rules, given.findings, this.bench.program);
  }

  /** Whether everything was found. */
  get isDone(): boolean {
    return !this.goals.isUnmet && !this.goals.hasUnseenReason && !this.goals.hasUnseenSum;
  }

  /** All rules but those that need many calls, and those about the principal. */
  run(): SearchReport {
    const { given } = this;
    const isUnseen = () => given.findings.allowedCall(this.compiled.name) === null;
    this.solve();
    if (isUnseen()) this.approach();
    this.walk(this.search());
    if (isUnseen()) this.walk(this.search(WITH_REJECTED_OUTPUTS));
    this.tryPrincipals();
    if (isUnseen() && given.keepsPrincipal !== true) this.tryOthers();
    if (given.keepsPrincipal !== true) this.tryJudged();
    return this.tally;
  }

  /** The calls that the tool needs first; breadth first alone gets lost where it needs many. */
  private approach(): void {
    const { program } = this.bench;
    const goal = new GoalDistance(program.pack, this.compiled.name);
    const distance = (node: Node, session: Session) => goal.from(node, session);
    const start = distance(BEGINNING, newSession(program));
    if (start < NEAR.calls || start === Number.POSITIVE_INFINITY) return;
    const search = this.search(directedBy(distance), within(this.given.bounds, "states_approaching"));
    for (const visit of search.visits()) {
      if (!this.bench.isAllowed(visit.session)) continue;
      this.bench.prober.visit(visit);
      this.searchNearby(visit);
      break;
    }
    this.tally.explored += search.visited;
  }

  /** Calls whose numbers are computed. */
  private solve(): void {
    if (!this.sequences.isWorthwhile) return;
    this.sequences.run();
    const actions = this.given.findings.allowedCall(this.compiled.name)?.actions;
    const visit = actions === undefined ? null : retrace(this.bench.program, actions.slice(0, -1));
    if (visit !== null && this.bench.isAllowed(visit.session)) this.searchNearby(visit);
  }

  private walk(search: Search): void {
    const { goals } = this;
    const { findings } = this.given;
    let latest = 0;
    for (const visit of search.visits()) {
      const before = findings.size;
      this.bench.prober.visit(visit);
      const patience = goals.isConflictUnseen ? most("patience") : goals.hasUnseenReason ? most("patience_open") : -1;
      if (search.visited - latest <= patience) this.bench.prober.visitOpen(visit);
      else if (patience >= 0) cut("patience_open");
      if (findings.size > before) latest = search.visited;
      if (this.open === null && this.bench.isAllowed(visit.session)) this.searchNearby(visit);
      const waiting = goals.hasUnseenReason ? "patience" : "patience_alone";
      const isOutOfPatience = search.visited - latest > most(waiting);
      // If the tool was allowed only next to an unsettled call, its rejected outputs were not tried yet.
      if (this.open === null || goals.isUnmet) continue;
      if (!goals.isOpen && !goals.hasUnseenReason) break;
      if (!isOutOfPatience) continue;
      cut(waiting);
      break;
    }
    this.tally.close(search);
  }

  /** States one call after the first one in which the tool is allowed: there most likely a single rule refuses it. */
  private searchNearby(open: Visit): void {
    this.open = open;
    const { program, prober, moves } = this.bench;
    const bounds = { depth: open.node.depth + 1, states: most("states_around"), name: "states_around" as const };
    const search = new Search(program, new Abstraction(program, prober.tool), moves, bounds);
    for (const visit of search.visits(open)) prober.visit(visit);
    this.tally.explored += search.visited;
  }

  /** Principals for this tool alone: the whole pack's principals need not include one that may call it. */
  private tryOthers(): void {
    const { under, compiled, given } = this;
    const { program } = this.bench;
    const packs = [program.pack, { ...program.pack, tools: [compiled] }];
    const known = new Set(under.principalsFor(new Set()).map(({ principal }) => canonicalJson(principal)));
    for (const principal of packs.flatMap((pack) => principalVariants(pack, program.env))) {
      if (known.size === known.add(canonicalJson(principal)).size) continue;
      const search = new ToolSearch(under, compiled, { ...given, principal, keepsPrincipal: true });
      if (!search.isPermitted()) continue;
      this.tally.add(search.run());
    }
  }

  /** Principals whom an expression of the tool refuses, in the state in which another one may call it. */
  private tryJudged(): void {
    const { under, compiled, given } = this;
    const { name, checks } = compiled;
    const requirements = this.rules.filter((rule) => rule.body.kind === "requires" && this.bench.isUnseen(rule));
    const allowed = given.findings.allowedCall(name)?.actions.slice(0, -1);
    const isPersonal = checks.some(
      (check) => check.kind === "requires" && preparedOf(check.that, under.pack).reads.principal,
    );
    if (requirements.length === 0 || allowed === undefined || !isPersonal) return;
    const all = under.library.scenes
      .of(name)
      .bad.map(({ principal }) => [canonicalJson(principal), principal] as const);
    for (const principal of first([...new Map(all).values()], "principals")) {
      const other = new ToolSearch(under, compiled, { ...given, principal, keepsPrincipal: true });
      const visit = retrace(other.bench.program, allowed);
      if (visit !== null) other.bench.prober.examine(visit);
    }
  }

  /** Whether the policies allow the principal to call the tool. */
  private isPermitted(): boolean {
    const { tool } = this.bench.prober;
    const policy = tool.checks.find(({ kind }) => kind === "policy");
    return policy?.run(proposalOf(tool, {}), newSession(this.bench.program), this.bench.program) === null;
  }

  /** A policy refuses a principal from the first call on, so one state is enough. */
  private tryPrincipals(): void {
    const { under, compiled, given } = this;
    const { name } = compiled;
    if (given.findings.reasons(name).has("policy_denied")) return;
    const refused = under.principalsFor(new Set([name])).find(({ refusals }) => refusals.has(name));
    if (refused !== undefined) new ToolSearch(under, compiled, { ...given, principal: refused.principal }).begin();
  }

  /** Visits only the initial state. */
  private begin(): void {
    for (const visit of this.search().visits()) {
      this.bench.prober.visit(visit);
      return;
    }
  }

  /** One rule about the principal; first in the state in which another principal may call the tool. */
  runFor(rule: PackRule): SearchReport {
    const allowed = this.given.findings.allowedCall(this.compiled.name)?.actions.slice(0, -1);
    const visit = allowed === undefined ? null : retrace(this.bench.program, allowed);
    if (visit !== null) this.bench.prober.visit(visit);
    return this.bench.isUnseen(rule) ? this.searchFor(rule) : this.tally;
  }

  private searchFor(rule: PackRule): SearchReport {
    const search = this.search();
    for (const visit of search.visits()) {
      this.bench.prober.visit(visit);
      const isSeen = this.given.findings.rule(rule.id).together !== null;
      if (!this.bench.isUnseen(rule) || (isSeen && isBeyond(search.visited, "patience_personal"))) break;
    }
    this.tally.close(search);
    return this.tally;
  }

  /** The rules that need many calls; to be run after `run`. */
  runCumulative(): SearchReport {
    const found = new CumulativeSearch(this.bench, this.open).run();
    this.sequences.runLast();
    return found;
  }

  /** A few sessions of mixed calls, for what no search reaches; to be run last. */
  runMixed(isSought: (rule: PackRule) => boolean): SearchReport {
    const { program, moves, prober } = this.bench;
    const mixed = new MixedSessions(program, moves);
    const tally = new Tally();
    for (const visit of mixed.visits()) {
      if (!this.rules.some(isSought)) break;
      prober.visit(visit);
    }
    tally.explored += mixed.visited;
    return tally;
  }

  private search(extensions?: SearchExtensions, bounds = this.given.bounds): Search {
    const { program, prober, moves } = this.bench;
    return new Search(program, new Abstraction(program, prober.tool), moves, bounds, null, extensions);
  }
}
