import type { Claim, PackClaims } from "../artifact/claim.js";
import { claimText } from "../artifact/claim-wording.js";
import type { Artifact, CompiledPack } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import { isOfModel, type ModelRuleBody, type PackRule } from "../artifact/pack-rules.js";
import { invariant } from "../base/invariant.js";
import { type ClaimCheck, ClaimChecker } from "./claim-check.js";
import { Exploration } from "./exploration.js";
import { Liveness, type Stuck } from "./liveness.js";
import { modelRuleResult } from "./model-rules.js";
import { PackUnderTest } from "./pack-under-test.js";
import type { Plan } from "./plan.js";
import { Player, type Replayed } from "./replay.js";
import type { SearchBounds } from "./search.js";
import { Shortener } from "./shorten.js";
import type { Trace, TraceStep } from "./trace.js";
import type { Wealth } from "./value-classes.js";
import type { ClaimResult, RuleResult, StuckResult, ToolResult, Verification } from "./verification.js";

/** How far to look where nobody says otherwise. */
export const DEFAULT_BOUNDS: SearchBounds = { depth: 500, states: 4000 };

/** What trying a claim gave: a counterexample, or none. */
interface Tried {
  readonly trace: Trace | null;
  readonly isComplete: boolean;
}

/** Tells what was found in one pack; every session of it is played on the guard first. */
class Verifier {
  private readonly exploration: Exploration;
  private readonly shortener: Shortener;
  private readonly lives = new Map<Wealth, Liveness>();
  private exploredForClaims = 0;
  private isCut = false;

  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
    private readonly player: Player,
  ) {
    this.exploration = new Exploration(under, bounds);
    this.shortener = new Shortener(under);
  }

  async verify(claims: PackClaims): Promise<Verification> {
    const { phases } = this.under.pack;
    const rules = await inTurn(this.under.rules.all, (rule) => this.ruleResult(rule));
    const tools = await inTurn(this.under.pack.tools, ({ name }) => this.toolResult(name));
    const results = await inTurn(claims, (claim) => this.claimResult(claim));
    const stuck =
      phases === null || phases.terminal.length === 0 ? [] : await this.stuckResults(phases.terminal, rules);
    const hit = new Set(this.exploration.hit);
    if (this.isCut || [...this.lives.values()].some(({ isComplete }) => !isComplete)) hit.add("states");
    const bounds = { ...this.bounds, explored: this.explored, hit: [...hit].sort() };
    return { pack: this.under.name, bounds, rules, tools, claims: results, stuck };
  }

  private liveness(wealth: Wealth): Liveness {
    const live = this.lives.get(wealth) ?? new Liveness(this.under, this.bounds, wealth);
    this.lives.set(wealth, live);
    return live;
  }

  private get explored(): number {
    const alive = [...this.lives.values()].reduce((sum, { explored }) => sum + explored, 0);
    return this.exploration.explored + this.exploredForClaims + alive;
  }

  private async claimResult(claim: Claim): Promise<ClaimResult> {
    const { at } = claim;
    const text = claimText(claim);
    const { trace, isComplete } =
      claim.kind === "always_possible" ? await this.tryReaching(claim.reach) : await this.tryCalls(claim);
    if (trace !== null) return { at, text, status: "violated", trace };
    return { at, text, status: isComplete ? "holds" : "holds_within_bound", trace };
  }

  /** A counterexample of a claim about calls, played on the guard. */
  private async tryCalls(claim: Exclude<Claim, { readonly kind: "always_possible" }>): Promise<Tried> {
    const { counterexample, isComplete } = this.checkCalls(claim);
    if (counterexample === null) return { trace: null, isComplete };
    const { trace } = await this.player.play(counterexample);
    const last = trace.steps.at(-1);
    const isFree = claim.kind !== "requires_approval" || (last?.kind === "call" && last.verdict.kind === "allow");
    const { file, line } = claim.at;
    invariant(isFree && !trace.steps.some(isRefused), `the guard lets the counterexample of ${file}:${line} through`);
    return { trace, isComplete };
  }

  /** A way into a state that leads to none of the phases; with more values only where few show none. */
  private async tryReaching(phases: readonly string[]): Promise<Tried> {
    let isComplete = true;
    for (const wealth of ["few", "enough"] as const) {
      const live = this.liveness(wealth);
      const stuck = live.stuck(phases);
      const [first] = await this.passable(stuck);
      isComplete &&= live.isComplete && stuck.length === 0;
      if (first !== undefined) return { trace: first.trace, isComplete };
    }
    return { trace: null, isComplete };
  }

  /** The ways that the guard lets through: it may refuse one that repeats itself, which the search leaves aside. */
  private async passable(stuck: readonly Stuck[]): Promise<readonly StuckResult[]> {
    const played = await inTurn(stuck, async ({ phase, label, plan }) => {
      const cause = label === null ? ("rules" as const) : ("label" as const);
      return { phase, cause, trace: (await this.player.play(plan)).trace };
    });
    return played.filter(({ trace }) => !trace.steps.some(isRefused));
  }

  private checkCalls(claim: Exclude<Claim, { readonly kind: "always_possible" }>): ClaimCheck {
    const found = new ClaimChecker(this.under, this.bounds).check(claim);
    this.exploredForClaims += found.explored;
    this.isCut ||= !found.isComplete;
    return found;
  }

  /** Ways into states without an end, and the session whose calls are used up before it. */
  private async stuckResults(
    terminal: readonly string[],
    rules: readonly RuleResult[],
  ): Promise<readonly StuckResult[]> {
    const found = await this.passable(this.liveness("few").stuck(terminal));
    const limits = this.under.rules.all.filter(
      ({ body: { kind } }) => kind === "max_tool_calls" || kind === "max_steps",
    );
    const spent = limits.map(({ id }) => rules.find(({ rule }) => rule === id)?.trace).find((trace) => trace);
    const phase = spent?.steps.at(-1)?.phase ?? null;
    const isShort = phase !== null && !terminal.includes(phase);
    return spent && isShort ? [...found, { phase, cause: "limits", trace: spent }] : found;
  }

  private async ruleResult(rule: PackRule): Promise<RuleResult> {
    if (isOfModel(rule.body)) return this.modelResult(rule, rule.body);
    const { alone, together } = this.exploration.findings.rule(rule.id);
    if (alone !== null) {
      const trace = await this.witness(rule, this.shortener.shortened(alone, rule));
      return { rule: rule.id, status: "fires", trace, others: [] };
    }
    if (together !== null) {
      const { trace, refusals } = await this.player.play(together.plan);
      invariant(
        refusals.some((place) => isSame(place, rule.at)),
        `the guard does what was found of ${rule.id}`,
      );
      return { rule: rule.id, status: "never_alone", trace, others: together.others };
    }
    const isOpen = rule.tools.some((tool) => this.exploration.unfinished.has(tool));
    return { rule: rule.id, status: isOpen ? "not_shown" : "cannot_fire", trace: null, others: [] };
  }

  /** No session is needed to show what is done with requests and responses of models. */
  private async modelResult({ id }: PackRule, body: ModelRuleBody): Promise<RuleResult> {
    const guard = await this.player.guard({ principal: {}, env: this.under.env });
    const { shown, ...result } = modelRuleResult({ id, body }, { guard, rules: this.under.rules.all });
    return { ...result, trace: null, ...(shown === null ? {} : { shown }) };
  }

  /** A session for a rule, played on the guard; what it does not show there is not told. */
  private async witness(rule: PackRule, plan: Plan): Promise<Trace> {
    const replayed = await this.player.play(plan);
    invariant(shows(rule, replayed), `the guard does what was found of ${rule.id}`);
    return replayed.trace;
  }

  private async toolResult(tool: string): Promise<ToolResult> {
    const plan = this.exploration.findings.allowedCall(tool);
    if (plan === null) {
      return { tool, status: this.exploration.unfinished.has(tool) ? "not_shown" : "never_allowed", trace: null };
    }
    const { trace } = await this.player.play(plan);
    const last = trace.steps.at(-1);
    invariant(last?.kind === "call" && last.verdict.kind !== "block", `the guard allows what was found of ${tool}`);
    return { tool, status: "allowed", trace };
  }
}

function isRefused(step: TraceStep | undefined): boolean {
  return step?.kind === "call" && step.verdict.kind === "block";
}

/** One after the other: each plays a session. */
async function inTurn<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

function isSame(one: Place | null, other: Place | null): boolean {
  return one?.file === other?.file && one?.line === other?.line;
}

/** Whether the last step of a session shows that the rule alone refuses. */
function shows({ at, body }: PackRule, { trace, refusals }: Replayed): boolean {
  const last = trace.steps.at(-1);
  if (last?.kind !== "call") return false;
  const isAt = (place: Place | null) => isSame(place, at);
  switch (body.kind) {
    case "output_invariant":
    case "output_stage":
      return last.outcome?.kind === "violated" && isAt(last.outcome.rule);
    case "checkpoint":
      return last.verdict.kind === "approval" && last.verdict.rules.some(isAt);
    case "circuit_breaker":
      return last.verdict.kind === "block" && last.verdict.reason === "session_killed";
    default:
      return last.verdict.kind === "block" && isAt(last.verdict.rule) && refusals.length === 1;
  }
}

/** The role under which a guard is made for a pack; undefined for the artifact's own. */
function roleOf({ packs, workflow }: Artifact, pack: CompiledPack): string | undefined {
  const index = packs.indexOf(pack);
  return workflow?.roles.find((role) => role.pack === index && index > 0)?.name;
}

/** Explores every pack of an artifact with the shipped guard, and tries the claims made of each. */
export async function verify(
  artifact: Artifact,
  claims: readonly PackClaims[],
  bounds: SearchBounds = DEFAULT_BOUNDS,
): Promise<readonly Verification[]> {
  const found: Verification[] = [];
  for (const [index, pack] of artifact.packs.entries()) {
    if (pack.tools.length === 0) continue;
    const player = new Player(artifact, roleOf(artifact, pack));
    found.push(await new Verifier(new PackUnderTest(artifact, pack), bounds, player).verify(claims[index] ?? []));
  }
  return found;
}
