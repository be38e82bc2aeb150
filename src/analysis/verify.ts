import type { Claim, PackClaims } from "../artifact/claim.js";
import { claimText } from "../artifact/claim-wording.js";
import type { Artifact } from "../artifact/compiled.js";
import type { PackExamples } from "../artifact/example-call.js";
import { isOfModel, type ModelRuleBody, type PackRule } from "../artifact/pack-rules.js";
import { invariant } from "../base/invariant.js";
import { ClaimChecker } from "./claims/claim-check.js";
import { DEFAULT_BOUNDS } from "./default-bounds.js";
import type { MetName } from "./model/caps.js";
import { modelRuleResult } from "./model/model-rules.js";
import { PackUnderTest } from "./model/pack-under-test.js";
import { isDeadEnd } from "./proof/dead-end.js";
import type { Proof } from "./proof/proof.js";
import { Prover } from "./proof/prover.js";
import { type Exploration, explore } from "./search/exploration.js";
import { exploreLiveness, type Liveness, type Stuck } from "./search/liveness.js";
import { type NearMiss, NearMisses } from "./search/near-miss.js";
import type { SearchBounds } from "./search/search.js";
import type { ValueBudget } from "./state/value-classes.js";
import type { Plan } from "./trace/plan.js";
import { isRefused, isUnasked, shows, showsAmong } from "./trace/played.js";
import { ReadablePlayer } from "./trace/readable-player.js";
import { playerOf } from "./trace/replay.js";
import { retrace } from "./trace/retrace.js";
import { Shortener } from "./trace/shorten.js";
import type { Trace } from "./trace/trace.js";
import type { ClaimResult, Miss, RuleResult, StuckResult, ToolResult, Verification } from "./verification.js";

/** The result of a search for a counterexample. */
interface Tried {
  readonly trace: Trace | null;
  readonly states: number;
  readonly met: readonly MetName[];
}

const UNPROVED = { by: null, because: null } as const;

/** Reports the findings in one pack; every session is replayed on the guard first. */
class Verifier {
  private readonly prover: Prover;
  private readonly shortener: Shortener;
  private readonly misses: NearMisses;
  private readonly lives = new Map<ValueBudget, Liveness>();
  private exploredForClaims = 0;
  private readonly met = new Set<MetName>();

  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
    private readonly player: ReadablePlayer,
    private readonly exploration: Exploration,
  ) {
    this.prover = new Prover(under.pack, under.rules);
    this.shortener = new Shortener(under);
    this.misses = new NearMisses(under, bounds, exploration);
  }

  async verify(claims: PackClaims): Promise<Verification> {
    const { phases, tools: all } = this.under.pack;
    const rules = await inTurn(this.under.rules.all, (rule) => this.ruleResult(rule));
    const tools = await inTurn(all, ({ name }) => this.toolResult(name));
    const results = await inTurn(claims, (claim) => this.claimResult(claim));
    const stuck =
      phases === null || phases.terminal.length === 0 ? [] : await this.stuckResults(phases.terminal, rules);
    for (const name of this.exploration.metBy(all.map((tool) => tool.name))) this.met.add(name);
    const { depth, states } = this.bounds;
    const bounds = { depth, states, explored: this.explored, hit: [...this.met].sort() };
    return { pack: this.under.name, bounds, rules, tools, claims: results, stuck };
  }

  private liveness(budget: ValueBudget): Liveness {
    const live = this.lives.get(budget) ?? exploreLiveness(this.under, this.bounds, budget);
    this.lives.set(budget, live);
    for (const name of live.met) this.met.add(name);
    return live;
  }

  private get explored(): number {
    const alive = [...this.lives.values()].reduce((sum, { explored }) => sum + explored, 0);
    return this.exploration.explored + this.exploredForClaims + alive;
  }

  private async claimResult(claim: Claim): Promise<ClaimResult> {
    const { at } = claim;
    const text = claimText(claim);
    const proved = ({ by, because, rules }: Proof, states: number) =>
      ({ at, text, status: "proved", by, because, rules, states, met: [], trace: null }) as const;
    const proof = claim.kind === "always_possible" ? null : this.prover.holds(claim);
    if (proof !== null) return proved(proof, 0);
    const { trace, states, met } =
      claim.kind === "always_possible" ? await this.tryReaching(claim.reach) : await this.tryCalls(claim);
    const open = { at, text, ...UNPROVED, rules: [], states };
    if (trace !== null) return { ...open, status: "violated", met: [], trace };
    const control = claim.kind === "always_possible" ? null : this.prover.holdsByControl(claim);
    return control === null ? { ...open, status: "no_counterexample", met, trace } : proved(control, states);
  }

  /** A counterexample of a claim about calls, replayed on the guard. */
  private async tryCalls(claim: Exclude<Claim, { readonly kind: "always_possible" }>): Promise<Tried> {
    const { counterexample, explored: states, met } = new ClaimChecker(this.under, this.bounds).check(claim);
    this.exploredForClaims += states;
    for (const name of met) this.met.add(name);
    if (counterexample === null) return { trace: null, states, met };
    const { trace } = await this.player.play(counterexample);
    const last = trace.steps.at(-1);
    const isFree = claim.kind !== "requires_approval" || (last?.kind === "call" && isUnasked(last));
    const { file, line } = claim.at;
    invariant(isFree && !trace.steps.some(isRefused), `the guard lets the counterexample of ${file}:${line} through`);
    return { trace, states, met };
  }

  /** A session into a state that provably leads to none of the phases; tried with more values only if few show none. */
  private async tryReaching(phases: readonly string[]): Promise<Tried> {
    const met = new Set<MetName>();
    let states = 0;
    for (const budget of ["few", "enough"] as const) {
      const live = this.liveness(budget);
      states += live.explored;
      for (const name of live.met) met.add(name);
      const stuck = await this.passable(live.stuck(phases), phases);
      const proved = stuck.find(({ isProved }) => isProved);
      if (proved !== undefined) return { trace: proved.trace, states, met: [] };
      // A state that is not proved to be a dead end may have a path that needs other values.
      if (stuck.length > 0) met.add("no_way_proved");
    }
    return { trace: null, states, met: [...met].sort() };
  }

  /** The sessions that the guard allows: it may refuse one with a loop, because the search ignores loop detection. */
  private async passable(stuck: readonly Stuck[], phases: readonly string[]): Promise<readonly StuckResult[]> {
    const played = await inTurn(stuck, async ({ phase, label, plan }) => {
      const cause = label === null ? ("rules" as const) : ("label" as const);
      const isProved = this.isDeadEnd(plan, phases);
      return { phase, cause, isProved, trace: (await this.player.play(plan)).trace };
    });
    return played.filter(({ trace }) => !trace.steps.some(isRefused));
  }

  private isDeadEnd({ principal, actions }: Plan, phases: readonly string[]): boolean {
    const names = new Set(this.under.pack.tools.map(({ name }) => name));
    const program = this.under.slice(names, principal);
    const end = retrace(program, actions);
    return end !== null && isDeadEnd(program, end.session, phases);
  }

  /** Sessions into dead ends, and one that uses up its calls before a terminal phase. */
  private async stuckResults(
    terminal: readonly string[],
    rules: readonly RuleResult[],
  ): Promise<readonly StuckResult[]> {
    const found = await this.passable(this.liveness("few").stuck(terminal), terminal);
    const limits = this.under.rules.all.filter(
      ({ body: { kind } }) => kind === "max_tool_calls" || kind === "max_steps",
    );
    const spent = limits.map(({ id }) => rules.find(({ rule }) => rule === id)?.trace).find((trace) => trace);
    const phase = spent?.steps.at(-1)?.phase ?? null;
    const isShort = phase !== null && !terminal.includes(phase);
    return spent && isShort ? [...found, { phase, cause: "limits", isProved: isOver(spent), trace: spent }] : found;
  }

  private async ruleResult(rule: PackRule): Promise<RuleResult> {
    if (isOfModel(rule.body)) return this.modelResult(rule, rule.body);
    const { alone, together } = this.exploration.findings.rule(rule.id);
    const plain = { rule: rule.id, ...UNPROVED, met: [], miss: null };
    if (alone !== null) {
      const trace = await this.witness(rule, this.shortener.shortened(alone, rule));
      return { ...plain, status: "fires", trace, others: [] };
    }
    if (together !== null) {
      const replayed = await this.player.play(together.plan);
      invariant(showsAmong(rule, replayed, this.under.rules), `the guard does what was found of ${rule.id}`);
      return { ...plain, status: "never_alone", trace: replayed.trace, others: together.others };
    }
    const proof = this.prover.cannotFire(rule) ?? this.prover.cannotFireByControl(rule);
    const miss = await this.missed(this.misses.ofRule(rule));
    if (proof !== null) {
      const { by, because } = proof;
      return { ...plain, status: "cannot_fire", by, because, trace: null, others: [], miss };
    }
    const met = this.exploration.metFor(rule);
    for (const name of met) this.met.add(name);
    return { ...plain, status: "not_shown", met, trace: null, others: [], miss };
  }

  /** Rules on requests and responses of models need no session. */
  private async modelResult({ id }: PackRule, body: ModelRuleBody): Promise<RuleResult> {
    const guard = await this.player.guard({ principal: {}, env: this.under.env });
    const { shown, ...result } = modelRuleResult({ id, body }, { guard, rules: this.under.rules.all });
    return { ...result, ...UNPROVED, met: [], trace: null, miss: null, ...(shown === null ? {} : { shown }) };
  }

  /** The nearest miss, replayed on the guard. */
  private async missed(found: NearMiss | null): Promise<Miss | null> {
    if (found === null) return null;
    const { trace } = await this.player.play(found.plan);
    if (!isRefused(trace.steps.at(-1))) return null;
    return { trace, refusedBy: found.refusedBy.map(({ id }) => id) };
  }

  /** The trace of a session for a rule, replayed on the guard, which must show the rule. */
  private async witness(rule: PackRule, plan: Plan): Promise<Trace> {
    const replayed = await this.player.play(plan);
    invariant(shows(rule, replayed), `the guard does what was found of ${rule.id}`);
    invariant(this.prover.cannotFire(rule) === null, `nothing that was proved of ${rule.id} is seen to be false`);
    return replayed.trace;
  }

  private async toolResult(tool: string): Promise<ToolResult> {
    const plan = this.exploration.findings.allowedCall(tool);
    const proof = this.prover.neverAllowed(tool);
    if (plan === null) {
      const found = { tool, trace: null, miss: await this.missed(this.misses.ofTool(tool)) };
      const never = proof ?? this.prover.neverByControl(tool);
      if (never !== null) return { ...found, status: "never_allowed", by: never.by, because: never.because, met: [] };
      return { ...found, status: "not_shown", ...UNPROVED, met: this.exploration.metBy([tool]) };
    }
    const { trace } = await this.player.play(plan);
    const last = trace.steps.at(-1);
    invariant(last?.kind === "call" && last.verdict.kind !== "block", `the guard allows what was found of ${tool}`);
    invariant(proof === null, `nothing that was proved of ${tool} is seen to be false`);
    return { tool, status: "allowed", ...UNPROVED, met: [], trace, miss: null };
  }
}

/** Sequentially, because each item replays a session. */
async function inTurn<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

/** Explores every pack of an artifact with the shipped guard, and checks the claims about each. */
export async function verify(
  artifact: Artifact,
  claims: readonly PackClaims[],
  bounds: SearchBounds = DEFAULT_BOUNDS,
  examples: readonly PackExamples[] = [],
): Promise<readonly Verification[]> {
  const found: Verification[] = [];
  for (const [index, pack] of artifact.packs.entries()) {
    if (pack.tools.length === 0) continue;
    const under = new PackUnderTest(artifact, pack);
    const player = new ReadablePlayer(playerOf(artifact, pack), examples[index] ?? []);
    const verifier = new Verifier(under, bounds, player, explore(under, bounds));
    found.push(await verifier.verify(claims[index] ?? []));
  }
  return found;
}

/**
 * Whether nothing in a session with its limit used up can still change its phase: no call is unsettled, which might be released and
 * make room, and no step is open, in which further calls may come.
 */
function isOver({ steps }: Trace): boolean {
  return steps.every((step) => {
    if (step.kind === "step") return false;
    return step.kind !== "call" || step.outcome === null || !["open", "lost"].includes(step.outcome.kind);
  });
}
