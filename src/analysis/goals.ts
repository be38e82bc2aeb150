import type { PackRule, RuleBody, RuleKind } from "../artifact/pack-rules.js";
import type { Reason } from "../artifact/reasons.js";
import type { Program } from "../guard/program.js";
import { ARGUMENT_KINDS } from "./checks-of.js";
import type { Findings } from "./findings.js";

/** Rules that only many calls bring about: states with fewer calls stand for those with more, so these need a search of their own. */
const CUMULATIVE: ReadonlySet<RuleKind> = new Set([
  "max_steps",
  "max_tool_calls",
  "max_calls_per_tool",
  "loop_detection",
  "aggregate",
]);

/** Rules about who is calling: each principal is a search of its own. */
const PERSONAL: ReadonlySet<RuleKind> = new Set(["policy_deny", "policy_allow", "default_deny"]);

export function isCumulative({ body }: PackRule): boolean {
  return CUMULATIVE.has(body.kind);
}

export function isPersonal({ body }: PackRule): boolean {
  return PERSONAL.has(body.kind);
}

/** Rules that look at the arguments alone: whether they refuse does not hang on the state. */
const OF_ONE_CALL: ReadonlySet<RuleKind> = new Set<RuleKind>([...ARGUMENT_KINDS, "output_invariant", "max_cost"]);

/** The reason of rules that have but one. */
const REASON_OF: Partial<Record<RuleKind, Reason>> = {
  policy_deny: "policy_denied",
  policy_allow: "policy_denied",
  default_deny: "policy_denied",
  label_gate: "label_gated",
  forbidden_by: "forbidden_after",
  max_steps: "session_limit_exceeded",
  max_tool_calls: "session_limit_exceeded",
  max_calls_per_tool: "session_limit_exceeded",
  max_cost: "session_limit_exceeded",
  loop_detection: "loop_detected",
  schema: "schema_mismatch",
  input_invariant: "input_invariant_failed",
  execution_constraint: "execution_constraint_failed",
  argument_invariant: "argument_invariant_failed",
  derived_invariant: "schema_derived_failed",
  capture: "bind_missing",
};

/** Every reason a rule can give for a refusal; first the one that calls add up to, where they do. */
function reasonsOf(body: RuleBody): readonly Reason[] {
  switch (body.kind) {
    case "gate":
      return [body.source === "gate" ? "gate_blocked" : "risk_blocked"];
    case "phase":
      return body.advances_to === null ? ["phase_not_allowed"] : ["phase_not_allowed", "transition_not_allowed"];
    case "precondition": {
      const { prior, step_count: least } = body;
      const ofPrior: readonly Reason[] =
        prior === null
          ? []
          : prior.with_output.length === 0
            ? ["prior_tool_missing"]
            : ["prior_tool_missing", "prior_output_mismatch", "pending_conflict"];
      return least === null ? ofPrior : [...ofPrior, "step_count_too_low"];
    }
    case "ref":
      return ["ref_unset", "ref_mismatch", "pending_conflict"];
    case "aggregate":
      return body.aggregate.when.length === 0
        ? ["aggregate_exceeded", "aggregate_unjudgeable"]
        : ["aggregate_exceeded", "aggregate_unjudgeable", "pending_conflict"];
    case "envelope":
      return ["envelope_unset", "envelope_violated", "pending_conflict"];
    default: {
      const reason = REASON_OF[body.kind];
      return reason === undefined ? [] : [reason];
    }
  }
}

/** The reason that a rule is there for. */
export function mainReason({ body }: PackRule): Reason | undefined {
  return reasonsOf(body)[0];
}

/** Whether going from state to state brings about the reason no sooner than the first one does. */
function isStateless(reason: Reason, body: RuleBody, edges: Program["edges"]): boolean {
  if (reason === "transition_not_allowed" && body.kind === "phase") {
    const { phases, advances_to: next } = body;
    return next === null || phases.every((phase) => phase === next || edges.get(phase)?.has(next));
  }
  // What an aggregate cannot use is in the arguments, or in a value that its bounds hang on.
  return reason === "aggregate_unjudgeable" && body.kind === "aggregate" && body.aggregate.when.length === 0;
}

/** What is still to be found of one tool. */
export class Goals {
  private readonly plain: readonly PackRule[];
  private readonly reasons: ReadonlySet<Reason>;
  private readonly sums: ReadonlySet<Reason>;

  constructor(
    private readonly tool: string,
    rules: readonly PackRule[],
    private readonly findings: Findings,
    edges: Program["edges"],
  ) {
    this.plain = rules.filter((rule) => !isCumulative(rule) && !isPersonal(rule) && !OF_ONE_CALL.has(rule.body.kind));
    const entities = new Set(
      rules.flatMap(({ body }) => (body.kind === "precondition" ? (body.prior?.resource?.text ?? []) : [])),
    );
    // Arguments that name an entity are judged only where the earlier call for it was made.
    const isOfState = ({ body }: PackRule) =>
      !OF_ONE_CALL.has(body.kind) || ("path" in body && entities.has(body.path.text));
    const stateful = rules.filter((rule) => !isPersonal(rule) && isOfState(rule));
    // What calls have to add up to is not looked for in the same way.
    this.reasons = new Set(
      stateful.flatMap((rule) =>
        reasonsOf(rule.body)
          .slice(isCumulative(rule) ? 1 : 0)
          .filter((reason) => !isStateless(reason, rule.body, edges)),
      ),
    );
    this.sums = new Set(rules.filter(isCumulative).flatMap((rule) => mainReason(rule) ?? []));
  }

  /** A rule that was not seen to refuse anything, or no call that is allowed. */
  get isUnmet(): boolean {
    if (this.findings.allowedCall(this.tool) === null) return true;
    return this.plain.some(
      ({ id }) => this.findings.rule(id).alone === null && this.findings.rule(id).together === null,
    );
  }

  /** A rule about more than the arguments that was not seen to refuse a call by itself, or no call that is allowed. */
  get isOpen(): boolean {
    if (this.findings.allowedCall(this.tool) === null) return true;
    return this.plain.some(({ id }) => this.findings.rule(id).alone === null);
  }

  /** No call was seen to be refused for another that is open; most else that an open call brings about its end does, too. */
  get isConflictUnseen(): boolean {
    return this.reasons.has("pending_conflict") && !this.findings.reasons(this.tool).has("pending_conflict");
  }

  /** A reason that was not seen yet. */
  get hasUnseenReason(): boolean {
    return this.isUnseen(this.reasons);
  }

  /** A reason that calls add up to was not seen yet. */
  get hasUnseenSum(): boolean {
    return this.isUnseen(this.sums);
  }

  private isUnseen(reasons: ReadonlySet<Reason>): boolean {
    const seen = this.findings.reasons(this.tool);
    return [...reasons].some((reason) => !seen.has(reason));
  }
}
