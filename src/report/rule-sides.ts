import type { CompiledPack } from "../artifact/compiled.js";
import { isSamePlace, type Place } from "../artifact/compiled-value.js";
import { isOfModel, type PackRule, PackRules, type RuleBody } from "../artifact/pack-rules.js";
import { kindsOf } from "./reason-kinds.js";

/** Which sides of a rule were exercised. */
export interface RuleSides {
  readonly rule: PackRule;
  /** False for a rule that no call can pass, such as a gate. */
  readonly canPass: boolean;
  readonly passed: boolean;
  readonly refused: boolean;
}

/** A decision, as a guard reports it; the tool is null where a pending call was answered. */
export interface DecidedCall {
  readonly tool: string | null;
  readonly kind: "allow" | "block" | "approval_required";
  readonly reason?: string;
  readonly rule?: Place | null;
  readonly callId?: string;
}

/** A settlement, as a guard reports it, and whether it was one with an output to judge, or a failure. */
export interface SettledCall {
  readonly callId: string;
  readonly accepted: boolean;
  readonly ending?: string;
  readonly reason?: string;
  readonly rule?: Place | null;
  readonly hasOutput: boolean;
  readonly isFailure: boolean;
}

const OF_OUTPUTS: ReadonlySet<RuleBody["kind"]> = new Set(["output_invariant", "ensures", "output_stage"]);

/** Whether some call passes the rule. */
function canPass(body: RuleBody): boolean {
  switch (body.kind) {
    case "gate":
    case "default_deny":
      return false;
    case "policy_deny":
      return body.entry.principal.length > 0;
    case "checkpoint":
      return body.when !== null;
    case "max_steps":
    case "max_tool_calls":
    case "max_calls_per_tool":
      return body.max > 0;
    case "circuit_breaker":
      return body.most > 1;
    default:
      return true;
  }
}

/**
 * The sides on which the rules of one pack were exercised. Rules of one kind that are written in the same line cannot be
 * distinguished by a refusal, so it counts for all of them.
 */
export class ExercisedRules {
  private readonly rules: PackRules;
  private readonly passed = new Set<string>();
  private readonly refused = new Set<string>();

  constructor(pack: CompiledPack) {
    this.rules = new PackRules(pack);
  }

  /** Every rule about calls, in the order of the pack. */
  sides(): readonly RuleSides[] {
    return this.rules.all
      .filter(({ body, tools }) => tools.length > 0 && !isOfModel(body))
      .map((rule) => ({
        rule,
        canPass: canPass(rule.body),
        passed: this.passed.has(rule.id),
        refused: this.refused.has(rule.id),
      }));
  }

  /** A new session. */
  session(): ExercisedSession {
    return new ExercisedSession(this.rules);
  }

  /** Counts a session that is over. */
  add({ passed, refused }: ExercisedSession): void {
    for (const id of passed) this.passed.add(id);
    for (const id of refused) this.refused.add(id);
  }
}

/** Reads the events of one session. */
export class ExercisedSession {
  /** Ids of rules. */
  readonly passed = new Set<string>();
  readonly refused = new Set<string>();
  /** The tools of calls by their ids: a settlement has no more. */
  private readonly tools = new Map<string, string>();

  constructor(private readonly rules: PackRules) {}

  decided({ tool, kind, reason, rule, callId }: DecidedCall): void {
    // The call of an answer was judged when it was proposed.
    if (tool === null) return;
    if (callId !== undefined) this.tools.set(callId, tool);
    if (kind === "block") this.refusedCall(tool, rule ?? null, reason ?? null);
    // What a call passed that needs an approval is known when its checkpoints are.
    if (kind === "allow") this.passAll(tool, []);
  }

  approvalRequested(tool: string, rules: readonly Place[]): void {
    this.passAll(tool, rules);
    for (const at of rules) for (const rule of this.explaining(tool, at, "checkpoint")) this.refuse(rule);
  }

  settled({ callId, accepted, ending, reason, rule, hasOutput, isFailure }: SettledCall): void {
    const tool = this.tools.get(callId);
    if (!accepted || tool === undefined) return;
    // One error does not end a session unless the breaker allows none at all, and then it cannot be passed.
    if (isFailure || ending === "violated") this.passBreaker("errors");
    if (!hasOutput) return;
    const own = this.rules.ofTool(tool).filter(({ body }) => OF_OUTPUTS.has(body.kind));
    const broken = ending === "violated" ? this.matching(own, rule ?? null, reason ?? null) : [];
    if (ending === "violated" && broken.length === 0) return;
    for (const each of broken) this.refuse(each);
    for (const each of before(own, broken)) this.pass(each);
  }

  /** A refusal of a step, which is of no tool. */
  stepRefused(at: Place | null): void {
    for (const rule of this.rules.all) {
      if (rule.body.kind === "max_steps" && isSamePlace(rule.at, at)) this.refuse(rule);
    }
  }

  killed(cause: string): void {
    const of = cause === "consecutive_blocks" ? "blocks" : cause === "consecutive_errors" ? "errors" : null;
    for (const rule of this.rules.all) {
      if (rule.body.kind === "circuit_breaker" && rule.body.of === of) this.refuse(rule);
    }
  }

  private pass({ id }: PackRule): void {
    this.passed.add(id);
  }

  private refuse({ id }: PackRule): void {
    this.refused.add(id);
  }

  private refusedCall(tool: string, at: Place | null, reason: string | null): void {
    this.passBreaker("blocks");
    const own = this.ofCalls(tool);
    const refusing = this.matching(own, at, reason);
    // A refusal that no rule gives, such as that of an unknown tool, says nothing about the rules.
    if (refusing.length === 0) return;
    for (const rule of refusing) this.refuse(rule);
    for (const rule of before(own, refusing)) this.pass(rule);
  }

  private passAll(tool: string, asked: readonly Place[]): void {
    for (const rule of this.ofCalls(tool)) {
      const hasAsked = rule.body.kind === "checkpoint" && asked.some((at) => isSamePlace(at, rule.at));
      if (!hasAsked) this.pass(rule);
    }
  }

  private passBreaker(of: "blocks" | "errors"): void {
    for (const rule of this.rules.all) {
      if (rule.body.kind === "circuit_breaker" && rule.body.of === of && rule.body.most > 1) this.pass(rule);
    }
  }

  private ofCalls(tool: string): readonly PackRule[] {
    return this.rules.ofTool(tool).filter(({ body }) => !OF_OUTPUTS.has(body.kind));
  }

  private explaining(tool: string, at: Place, kind: RuleBody["kind"]): readonly PackRule[] {
    return this.rules.ofTool(tool).filter((rule) => rule.body.kind === kind && isSamePlace(rule.at, at));
  }

  private matching(rules: readonly PackRule[], at: Place | null, reason: string | null): readonly PackRule[] {
    const kinds = kindsOf(reason);
    return rules.filter((rule) => at !== null && isSamePlace(rule.at, at) && (kinds?.includes(rule.body.kind) ?? true));
  }
}

/** The rules that are judged before the first of some others; all, if there are none. */
function before(rules: readonly PackRule[], others: readonly PackRule[]): readonly PackRule[] {
  const [first] = others;
  return first === undefined ? rules : rules.slice(0, rules.indexOf(first));
}
