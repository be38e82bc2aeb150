import { CHECK_ORDER } from "../../artifact/check-order.js";
import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import type { JsonObject } from "../../base/json.js";
import { isTriggered } from "../../guard/checks/checkpoint.js";
import { judge } from "../../guard/decide/decide.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import type { Moves } from "../calls/moves.js";
import type { ValueLibrary } from "../calls/value-library.js";
import { cut, first, isBeyond, most } from "../model/caps.js";
import { mainReason } from "../model/rule-reasons.js";
import { withinWork } from "../model/work.js";
import { proposalIn } from "../state/clock.js";
import { toolView } from "../state/tool-view.js";
import type { Action, Circumstances, Signal } from "../trace/plan.js";
import { brokenRules } from "./broken-outputs.js";
import type { Findings, LazyPlan } from "./findings.js";
import { Refusals } from "./refusals.js";
import { actionsTo, type Node, perform, signalled, type Visit } from "./search.js";

/** Where the argument checks begin in the order of checks. */
const ARGUMENTS = CHECK_ORDER.indexOf("schema");
const AGGREGATES = CHECK_ORDER.indexOf("aggregate");
/** Past all checks. */
const ALLOWED = CHECK_ORDER.length;

/** Tries the calls of one tool in the states that a search visits, and records the guard's verdicts. */
export class Prober {
  /** Number of states in which unfit arguments were tried, by how far fit ones get in the order of checks there. */
  private readonly tries = new Map<number, number>();
  /** By what the tool's checks read of a state: the length of the session, how far calls got, and whether all were tried. */
  private readonly views = new Map<
    string,
    { readonly depth: number; readonly farthest: number; readonly isWhole: boolean }
  >();
  private readonly viewOf: (session: Session) => string | null;
  private readonly refusals: Refusals;
  /** Number of states in a row without a new finding, by how far calls got in the order of checks. */
  private readonly fruitless = new Map<number, number>();
  /** How often more calls than usual were tried while another call was unsettled. */
  private triesBeside = 0;
  readonly tool: Tool;

  constructor(
    private readonly program: Program,
    private readonly compiled: CompiledTool,
    private readonly given: {
      readonly rules: PackRules;
      readonly findings: Findings;
      readonly moves: Moves;
      readonly library: ValueLibrary;
      readonly circumstances: Circumstances;
      /** The tools whose calls write what this tool's checks read. */
      readonly writing: ReadonlySet<string>;
    },
  ) {
    this.tool = program.tools.get(compiled.name) ?? program.unmatched(compiled.name);
    this.viewOf = toolView(program, this.tool);
    this.refusals = new Refusals(program, { tool: this.tool, compiled }, given);
  }

  /** Tries all calls in a state, even if similar states brought nothing new. */
  examine(visit: Visit): number {
    this.fruitless.clear();
    return this.look(visit, true);
  }

  /** Tries one call in a state. */
  tryCall({ node, session }: Visit, args: JsonObject): void {
    if (!session.isKilled) this.judge(node, session, proposalIn(session, this.tool, args));
  }

  /** Tries calls in a state. Returns how far they get in the order of checks; -1 if there are none. */
  visit(visit: Visit): number {
    return this.look(visit, false);
  }

  /** All rules that refuse a call; null if judging it takes too much work. */
  refusing(session: Session, proposal: Proposal): readonly PackRule[] | null {
    return withinWork(() => this.refusals.every(session, proposal));
  }

  private look(visit: Visit, isWhole: boolean): number {
    const { depth } = visit.node;
    const view = this.viewOf(visit.session);
    const known = view === null ? undefined : this.views.get(view);
    // A session that looks the same to the tool's checks brings nothing new, unless it is shorter.
    if (known !== undefined && known.depth <= depth && (known.isWhole || !isWhole)) return known.farthest;
    const farthest = this.tryCalls(visit);
    if (view !== null) this.views.set(view, { depth, farthest, isWhole: isWhole || !this.isUnproductive(farthest) });
    return farthest;
  }

  /** Whether the last states in which calls got this far brought nothing new. */
  private isUnproductive(farthest: number): boolean {
    return (this.fruitless.get(farthest) ?? 0) >= most("tries_unfit");
  }

  private tryCalls({ node, session }: Visit): number {
    if (session.isKilled) return -1;
    const before = this.given.findings.size;
    let best: Proposal | null = null;
    let farthest = -1;
    const { moves } = this.given;
    const likely = moves.likely(this.tool, session).length;
    for (const [count, proposal] of moves.probing(this.tool, session).entries()) {
      const isOneOfMany = count >= most("calls_likely") && (count < likely || count >= likely + most("calls_unlikely"));
      if (isOneOfMany && this.isUnproductive(farthest)) {
        cut(count < likely ? "calls_likely" : "calls_unlikely");
        continue;
      }
      const at = this.judge(node, session, proposal);
      if (at > farthest) [best, farthest] = [proposal, at];
    }
    if (farthest >= ARGUMENTS || node.parent === null) this.tryRefused(node, session, farthest);
    if (farthest >= AGGREGATES) this.tryUnusable(node, session);
    if (best !== null) this.trySignals(node, session, { proposal: best, at: farthest });
    if (best !== null && farthest === ALLOWED) this.tryOutputs(node, session, best);
    const isFruitless = this.given.findings.size === before;
    this.fruitless.set(farthest, isFruitless ? (this.fruitless.get(farthest) ?? 0) + 1 : 0);
    return farthest;
  }

  /** Tries calls while another call is unsettled that may still change the phase or a value they are compared with. */
  visitOpen({ node, session }: Visit): void {
    const isInPhase = !this.given.findings.reasons(this.tool.name).has("phase_not_allowed");
    for (const other of this.program.tools.values()) {
      if (!this.given.writing.has(other.name) && (other.advancesTo === null || !isInPhase)) continue;
      for (const open of this.opening(other, session)) {
        const outcome = { kind: "open" } as const;
        const { session: busy } = perform(this.program, session, open, outcome);
        const action: Action = { kind: "call", tool: other.name, args: open.args, outcome };
        const parent = { parent: node, action, depth: node.depth + 1 };
        for (const proposal of this.beside(session)) this.judge(parent, busy, proposal);
      }
    }
  }

  /** Calls to try while another is unsettled; more of them until a conflict was seen. */
  private beside(session: Session): readonly Proposal[] {
    const { moves, findings } = this.given;
    const isSeen = findings.reasons(this.tool.name).has("pending_conflict");
    if (!isSeen && this.triesBeside < most("tries_beside")) {
      this.triesBeside += 1;
      return moves.probing(this.tool, session);
    }
    if (!isSeen) cut("tries_beside");
    return first(moves.likely(this.tool, session), "calls_beside");
  }

  /** Calls that may stay unsettled; if no likely call is allowed, those that a sum still has room for. */
  private opening(other: Tool, session: Session): readonly Proposal[] {
    const { moves } = this.given;
    const allowed = moves.allowed(other, session, "calls_open");
    if (allowed.length > 0 || other.aggregates.length === 0) return allowed;
    const passing = moves.probing(other, session).filter((call) => judge(this.program, session, call) === null);
    return first(passing, "calls_open");
  }

  private lazyPlan(node: Node, last: Action): LazyPlan {
    const { principal, env } = this.given.circumstances;
    return { length: node.depth + 1, plan: () => ({ principal, env, actions: [...actionsTo(node), last] }) };
  }

  /** Records the guard's verdict on a call. Returns how far the call gets in the order of checks; -1 if judging it takes too much work. */
  private judge(node: Node, session: Session, proposal: Proposal, isUnfit = false): number {
    const { findings } = this.given;
    const lazyPlan = this.lazyPlan(node, this.call(proposal));
    const judged = withinWork(() => {
      const first = this.refusals.first(session, proposal);
      if (first === null) return { first, rules: this.asking(session, proposal) };
      const refusals = this.refusals.all(first, session, proposal, { length: lazyPlan.length, isUnfit });
      return { first, rules: refusals.map(({ rule }) => rule) };
    });
    if (judged === null) return -1;
    const { first, rules } = judged;
    if (first === null) findings.addAllowed(this.tool.name, lazyPlan);
    else findings.addVerdict(this.tool.name, first.block.reason, lazyPlan);
    this.note(rules, lazyPlan);
    return first === null ? ALLOWED : CHECK_ORDER.indexOf(first.kind);
  }

  private call({ tool, args }: Proposal): Action & { readonly kind: "call" } {
    const [output = null] = this.given.moves.outputs(tool);
    return { kind: "call", tool: tool.name, args, outcome: { kind: "result", output } };
  }

  /** The rules of the checkpoints that ask about a call. */
  private asking(session: Session, proposal: Proposal): readonly PackRule[] {
    const judging = { program: this.program, session };
    const asking = this.tool.checkpoints.filter((checkpoint) => isTriggered(checkpoint, proposal, judging));
    return asking.flatMap((checkpoint) => this.given.rules.inCheck(checkpoint));
  }

  /** Records which rules act at the end of a session: one alone, or several together. */
  private note(rules: readonly PackRule[], lazyPlan: LazyPlan): void {
    const { findings } = this.given;
    const ids = [...new Set(rules.map(({ id }) => id))];
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) findings.addAlone(only, lazyPlan);
    else
      for (const id of ids)
        findings.addTogether(
          id,
          lazyPlan,
          ids.filter((other) => other !== id),
        );
  }

  /** Whether the rule was seen to refuse alone, and to refuse a call of this tool. */
  private isKnown(rule: PackRule): boolean {
    const { findings } = this.given;
    const reason = mainReason(rule);
    const isSeen = reason === undefined || findings.reasons(this.tool.name).has(reason);
    return isSeen && findings.rule(rule.id).alone !== null;
  }

  /** Arguments that a rule refuses. */
  private tryRefused(node: Node, session: Session, farthest: number): void {
    const { rules, moves } = this.given;
    const tries = this.tries.get(farthest) ?? 0;
    const isJudged = this.compiled.checks.some(({ kind }) => kind === "requires");
    if (isBeyond(tries + 1, isJudged ? "tries_judged" : "tries_unfit")) return;
    this.tries.set(farthest, tries + 1);
    const ruleAt = (index: number) => {
      const check = this.compiled.checks[index];
      return check === undefined ? undefined : rules.ofCheck(check, "at" in check ? check.at : null);
    };
    const isSought = (index: number) => {
      const rule = ruleAt(index);
      return rule === undefined || !this.isKnown(rule);
    };
    for (const [index, proposals] of moves.refused(this.tool, session, isSought)) {
      const rule = ruleAt(index);
      for (const proposal of proposals) {
        if (rule !== undefined && this.isKnown(rule)) break;
        this.judge(node, session, proposal, true);
      }
    }
  }

  /** Arguments that an aggregate cannot use. */
  private tryUnusable(node: Node, session: Session): void {
    const { findings, moves } = this.given;
    if (findings.reasons(this.tool.name).has("aggregate_unjudgeable")) return;
    for (const proposal of moves.unusable(this.tool, session)) this.judge(node, session, proposal);
  }

  /** Labels and costs from outside, before the call that gets farthest. */
  private trySignals(
    node: Node,
    session: Session,
    { proposal, at }: { readonly proposal: Proposal; readonly at: number },
  ): void {
    for (const rule of this.given.rules.ofTool(this.tool.name)) {
      const { body } = rule;
      if (body.kind !== "label_gate" && body.kind !== "max_cost") continue;
      if (at <= CHECK_ORDER.indexOf(body.kind) || this.isKnown(rule)) continue;
      const isLabel = body.kind === "label_gate";
      this.after(
        node,
        session,
        isLabel ? { kind: "label", label: body.label } : { kind: "cost", usd: body.max },
        proposal,
      );
    }
  }

  private after(node: Node, before: Session, action: Signal, proposal: Proposal): void {
    const session = signalled(this.program, before, action);
    this.judge({ parent: node, action, depth: node.depth + 1 }, session, proposal);
  }

  /** Outputs that break a rule. */
  private tryOutputs(node: Node, session: Session, allowed: Proposal): void {
    const { rules, findings, library, moves } = this.given;
    const isOfOutput = ({ body: { kind } }: PackRule) => kind.startsWith("output") || kind === "ensures";
    const own = rules.ofTool(this.tool.name).filter(isOfOutput);
    if (own.every(({ id }) => findings.rule(id).alone !== null)) return;
    const { good, bad } = library.outputsOf(this.tool.name);
    const { session: busy } = perform(this.program, session, allowed, { kind: "open" });
    const call = busy.unsettled.last;
    if (call === null) return;
    for (const output of [...[...bad.values()].flat(), ...good, ...moves.outputs(this.tool)]) {
      const outcome = { kind: "result", output } as const;
      const broken = brokenRules(this.program, busy, { call, output, rules: own });
      this.note(broken, this.lazyPlan(node, { ...this.call(allowed), outcome }));
    }
  }
}
