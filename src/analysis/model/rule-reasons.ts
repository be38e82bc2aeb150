import type { CompiledEnvelope, CompiledPack } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { slotsIn } from "../../artifact/expression-parts.js";
import type { PackRule, RuleBody, RuleKind } from "../../artifact/pack-rules.js";
import type { Reason } from "../../artifact/reasons.js";
import type { JsonPath } from "../../base/json-path.js";
import { referencesOf } from "../../guard/checks/envelope.js";
import type { Program } from "../../guard/program/program.js";
import { acceptsAbsence, domainOf } from "../../operators/index.js";
import { isOnly } from "../../operators/value-set.js";

/** The reason of rules that have only one. */
const REASON_OF: Partial<Record<RuleKind, Reason>> = {
  policy_deny: "policy_denied",
  policy_allow: "policy_denied",
  default_deny: "policy_denied",
  label_gate: "label_gated",
  forbidden_by: "forbidden_after",
  max_steps: "session_limit_exceeded",
  max_tool_calls: "session_limit_exceeded",
  max_calls_per_tool: "session_limit_exceeded",
  max_calls_per_step: "session_limit_exceeded",
  max_cost: "session_limit_exceeded",
  loop_detection: "loop_detected",
  schema: "schema_mismatch",
  input_invariant: "input_invariant_failed",
  execution_constraint: "execution_constraint_failed",
  argument_invariant: "argument_invariant_failed",
  derived_invariant: "schema_derived_failed",
  capture: "bind_missing",
};

/** Every reason a rule can give for a refusal; of a counting rule, that of its bound comes first. */
export function reasonsOf(body: RuleBody): readonly Reason[] {
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
    case "requires":
      return ["requirement_failed", "requirement_unjudgeable", "pending_conflict"];
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

/** The main reason of a rule. */
export function mainReason({ body }: PackRule): Reason | undefined {
  return reasonsOf(body)[0];
}

/** A value that calls of a tool write. */
interface Written {
  readonly tool: string;
  readonly source: "arguments" | "output";
  readonly path: JsonPath;
}

/** What committed outputs certainly satisfy at a path; nothing if calls are committed before they answer. */
function outputOperators({ tool: name, path }: Written, { tools }: CompiledPack): readonly CompiledOperator[] {
  const tool = tools.find((each) => each.name === name);
  const entries = tool?.commits === "on_result" ? tool.output_invariants : [];
  return entries.filter((entry) => entry.path.text === path.text).flatMap(({ operators }) => operators);
}

/** Whether every committed call writes a value: an output without it would unset the old one. */
function isSure(written: Written, pack: CompiledPack): boolean {
  if (written.source === "arguments") return true;
  return outputOperators(written, pack).some((operator) => !acceptsAbsence(operator));
}

/** Whether every written value is a number. */
function isNumeric(written: Written, pack: CompiledPack): boolean {
  if (written.source === "arguments") return false;
  return outputOperators(written, pack).some((operator) => isOnly(domainOf(operator).accepts, "number"));
}

function writesTo(slot: string, { tools }: CompiledPack): readonly Written[] {
  return tools.flatMap(({ name: tool, binds }) =>
    binds.filter((bind) => bind.slot === slot).map(({ source, path }) => ({ tool, source, path })),
  );
}

/** Whether a value certainly exists after the calls that a tool requires. */
function isThere(written: readonly Written[], { pack, priors }: ReasonContext): boolean {
  return written.some(({ tool }) => priors.has(tool)) && written.every((one) => isSure(one, pack));
}

function isReferred({ constraint, stages }: CompiledEnvelope, context: ReasonContext): boolean {
  const roles = referencesOf(constraint).map((name) => (name === "last" ? "initial" : name));
  return roles.every((role) =>
    isThere(
      stages.filter((stage) => stage.role === role),
      context,
    ),
  );
}

/** What the reasons of a tool's rules depend on. */
export interface ReasonContext {
  readonly edges: Program["edges"];
  readonly pack: CompiledPack;
  /** Tools that must be called first. */
  readonly priors: ReadonlySet<string>;
}

/** Whether no search through states can reach the reason: the first state shows it, or none does. */
export function isStateless(reason: Reason, body: RuleBody, context: ReasonContext): boolean {
  if (reason === "transition_not_allowed" && body.kind === "phase") {
    const { phases, advances_to: next } = body;
    return next === null || phases.every((phase) => phase === next || context.edges.get(phase)?.has(next));
  }
  // Without slots it is judged by the call alone.
  if (reason === "pending_conflict" && body.kind === "requires") return slotsIn(body.that.tree).size === 0;
  // The precondition check, which comes first, requires the calls that write it.
  if (reason === "ref_unset" && body.kind === "ref") return isThere(writesTo(body.slot, context.pack), context);
  if (reason === "envelope_unset" && body.kind === "envelope") return isReferred(body.envelope, context);
  if (reason !== "aggregate_unjudgeable" || body.kind !== "aggregate") return false;
  // Only an argument, or a value in the conditions of its bounds, makes an aggregate impossible to judge.
  return body.aggregate.when.every(
    ({ slot, operators }) =>
      operators.every((operator) => domainOf(operator).judges.includes("number")) &&
      writesTo(slot, context.pack).every((written) => isNumeric(written, context.pack)),
  );
}
