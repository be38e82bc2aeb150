import type { CheckKind } from "../../artifact/check-order.js";
import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import type { Block } from "../../guard/decide/verdict.js";
import { judgeField } from "../../guard/program/field-test.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { OF_ARGUMENTS } from "../model/checks-of.js";
import { refusingRules } from "../model/rule-parts.js";
import type { Findings } from "./findings.js";

/** A rule that refuses a call. */
export interface Refusal {
  readonly rule: PackRule;
  readonly kind: CheckKind;
  readonly block: Block;
  /** The index of the check among the tool's checks. */
  readonly index: number;
}

const NONE: readonly Refusal[] = Object.freeze([]);

/** Checks whose rules have more to show; valid while the findings have this size. */
interface Unseen {
  readonly size: number;
  readonly ofState: readonly number[];
  /** Checks that only unfit arguments can fail. */
  readonly ofArguments: readonly number[];
}

/** Runs the checks of one tool on its calls; skips those that cannot bring a new finding. */
export class Refusals {
  /** Computed again whenever the findings grow. */
  private unseen: Unseen = { size: -1, ofState: [], ofArguments: [] };
  /** Refusals of argument checks, by the index of the check: they are the same in every state. */
  private readonly ofArguments = new WeakMap<Proposal, (readonly Refusal[] | undefined)[]>();

  constructor(
    private readonly program: Program,
    private readonly of: { readonly tool: Tool; readonly compiled: CompiledTool },
    private readonly given: { readonly rules: PackRules; readonly findings: Findings },
  ) {}

  /** The rules of one check that refuse a call. */
  private refusalsBy(index: number, session: Session, proposal: Proposal): readonly Refusal[] {
    const prepared = this.of.tool.checks[index];
    if (prepared === undefined) return NONE;
    if (!OF_ARGUMENTS.has(prepared.kind)) return this.ask(index, session, proposal);
    const answers = this.ofArguments.get(proposal) ?? [];
    if (answers.length === 0) this.ofArguments.set(proposal, answers);
    const answer = answers[index];
    if (answer !== undefined) return answer;
    const refusals = this.ask(index, session, proposal);
    answers[index] = refusals;
    return refusals;
  }

  private ask(index: number, session: Session, proposal: Proposal): readonly Refusal[] {
    const prepared = this.of.tool.checks[index];
    const check = this.of.compiled.checks[index];
    if (prepared === undefined || check === undefined) return NONE;
    const { kind, test, run } = prepared;
    if (test !== null && judgeField(test, proposal.values) === true) return NONE;
    const block = run(proposal, session, this.program);
    if (block === null) return NONE;
    const rules = refusingRules(check, this.given.rules, { program: this.program, session, proposal });
    return rules.map((rule) => ({ rule, kind, block, index }));
  }

  /** The first rule in the order of checks that refuses a call. */
  first(session: Session, proposal: Proposal): Refusal | null {
    for (let index = 0; index < this.of.tool.checks.length; index++) {
      const [refusal] = this.refusalsBy(index, session, proposal);
      if (refusal !== undefined) return refusal;
    }
    return null;
  }

  /** All rules that refuse a call, if that is a new finding for one of them; else none. */
  all(
    first: Refusal,
    session: Session,
    proposal: Proposal,
    { length, isUnfit }: { readonly length: number; readonly isUnfit: boolean },
  ): readonly Refusal[] {
    const found = [...this.refusalsBy(first.index, session, proposal)];
    let most = Math.max(...found.map(({ rule }) => this.fewestOthers(rule, length)));
    const { ofState, ofArguments } = this.unseenChecks();
    for (const index of isUnfit ? [...ofState, ...ofArguments] : ofState) {
      if (index <= first.index) continue;
      for (const { rule } of this.refusalsBy(index, session, proposal))
        most = Math.max(most, this.fewestOthers(rule, length));
    }
    for (let index = first.index + 1; index < this.of.tool.checks.length; index++) {
      if (found.length > most) return [];
      found.push(...this.refusalsBy(index, session, proposal));
    }
    return found.length > most ? [] : found;
  }

  /** All rules that refuse a call, whatever is known of them. */
  every(session: Session, proposal: Proposal): readonly PackRule[] {
    const refusals = this.of.tool.checks.flatMap((_, index) => this.refusalsBy(index, session, proposal));
    return [...new Set(refusals.map(({ rule }) => rule))];
  }

  /** The smallest known number of rules that refuse together with this one in sessions up to a length. */
  private fewestOthers({ id }: PackRule, length: number): number {
    const { alone, together } = this.given.findings.rule(id);
    if (alone !== null) return length < alone.actions.length ? 1 : 0;
    return together?.others.length ?? Number.POSITIVE_INFINITY;
  }

  /** The checks with a rule that was not seen to refuse alone, or with a single other rule. */
  private unseenChecks(): Unseen {
    const { findings, rules } = this.given;
    if (this.unseen.size === findings.size) return this.unseen;
    const isUnseen = (rule: PackRule) => this.fewestOthers(rule, Number.POSITIVE_INFINITY) > 1;
    const ofState: number[] = [];
    const ofArguments: number[] = [];
    this.of.compiled.checks.forEach((check, index) => {
      if (rules.inCheck(check).some(isUnseen)) (OF_ARGUMENTS.has(check.kind) ? ofArguments : ofState).push(index);
    });
    this.unseen = { size: findings.size, ofState, ofArguments };
    return this.unseen;
  }
}
