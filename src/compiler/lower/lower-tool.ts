import { CHECK_ORDER } from "../../artifact/check-order.js";
import type { CompiledCheck, CompiledTool } from "../../artifact/compiled.js";
import { pinOf } from "../../artifact/definition-pin.js";
import { STATUS } from "../../language/formats.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { AllowedError, Precondition, ToolContract } from "../../language/schema/tool.js";
import { derivation } from "../exclusions.js";
import { placeOf } from "../place.js";
import type { RuleContext } from "../rule-context.js";
import { lowerEnsures, toolRequirements } from "./lower-expression.js";
import { bindCaptures, lowerBinds } from "./lower-slots.js";
import {
  becauseOf,
  lowerInvariant,
  lowerOperators,
  lowerPath,
  lowerPattern,
  lowerRule,
  nothingLeft,
  placeIn,
} from "./lower-value.js";
import { placeAt, sessionChecks, toolCheckpoint } from "./session-checks.js";

const rank = new Map<string, number>(CHECK_ORDER.map((kind, index) => [kind, index]));

/** Sorts checks into the documented order; within a kind they keep the order of the files. */
export function inOrder(checks: readonly CompiledCheck[]): readonly CompiledCheck[] {
  return [...checks].sort((a, b) => (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0));
}

function orderingChecks(contract: ToolContract): CompiledCheck[] {
  const checks: CompiledCheck[] = [];
  const { transitions } = contract;
  if (transitions !== undefined) {
    const { valid_in_phases: phases, advances_to: next, reason, ...rest } = transitions;
    nothingLeft(rest);
    checks.push({ kind: "phase", at: placeIn(transitions), phases, advances_to: next ?? null, ...becauseOf(reason) });
  }
  return [...checks, ...(contract.preconditions ?? []).map(preconditionCheck)];
}

function preconditionCheck(entry: Precondition): CompiledCheck {
  const {
    requires_prior_tool: tool,
    with_output: output,
    resource,
    requires_step_count: steps,
    reason,
    ...rest
  } = entry;
  nothingLeft(rest);
  const narrowed = {
    with_output: (output ?? []).map(lowerInvariant),
    resource: resource === undefined ? null : lowerPath(resource.path),
  };
  const prior = tool === undefined ? null : { tool, ...narrowed };
  return { kind: "precondition", at: placeIn(entry), prior, step_count: steps?.gte ?? null, ...becauseOf(reason) };
}

function argumentChecks(contract: ToolContract): CompiledCheck[] {
  const checks: CompiledCheck[] = [];
  for (const entry of contract.assertions.input_invariants)
    checks.push({ kind: "input_invariant", ...lowerRule(entry) });
  for (const entry of contract.execution_constraints?.arguments ?? []) {
    checks.push({ kind: "execution_constraint", ...lowerRule(entry) });
  }
  for (const entry of contract.argument_value_invariants ?? []) {
    const { path: text, ref: slot, tolerance = null, reason, ...others } = entry;
    const operators = lowerOperators(others);
    const at = placeIn(entry);
    const path = lowerPath(text);
    const because = becauseOf(reason);
    if (operators.length > 0) checks.push({ kind: "argument_invariant", at, path, operators, ...because });
    if (slot !== undefined) checks.push({ kind: "ref", at, path, slot, tolerance, ...because });
  }
  return [...checks, ...bindCaptures(contract)];
}

function schemaChecks(context: RuleContext, contract: ToolContract): CompiledCheck[] {
  const schema = context.inputSchemas().get(contract.tool);
  const definition = context.definition(contract.tool);
  if (schema === undefined || definition === undefined) return [];
  const derives = derivation(context, contract.tool);
  const derived = schema.derived.filter(({ path }) => derives(path));
  return [
    { kind: "schema", at: placeOf(definition.nameSpan), schema: schema.check },
    ...derived.map(({ invariant }): CompiledCheck => ({ kind: "derived_invariant", ...invariant })),
  ];
}

function lowerAllowedError(
  contract: ToolContract,
  entry: string | AllowedError,
  index: number,
): CompiledTool["allowed_errors"][number] {
  const at = placeAt(contract.allowed_errors, index);
  if (typeof entry === "string") {
    const isStatus = STATUS.test(entry);
    return { at, status: isStatus ? entry : null, code: isStatus ? null : entry, message: null, outcome: null };
  }
  // `reason` is for people who read the contract.
  const { status, code = null, message_regex: pattern, outcome = null, reason: _, ...rest } = entry;
  nothingLeft(rest);
  return {
    at,
    status: status === undefined ? null : String(status),
    code,
    message: pattern === undefined ? null : lowerPattern(pattern),
    outcome,
  };
}

function lowerResponseFormat(contract: ToolContract): CompiledTool["response_format"] {
  const format = contract.response_format_invariants;
  if (format === undefined) return null;
  const { finish_reason = null, content_when_tool_calls = null, tool_calls_present = null, ...rest } = format;
  nothingLeft(rest);
  return { at: placeIn(format), finish_reason, content_when_tool_calls, tool_calls_present };
}

/** Language 1.0 has no place for it: its packs compile to the artifacts that they always had. */
function lowerDefinition(context: RuleContext, contract: ToolContract): Pick<CompiledTool, "definition"> {
  const definition = context.definition(contract.tool);
  if (definition === undefined || context.version() === "1.0") return {};
  const { description, inputSchema, outputSchema, isOfMcp } = definition;
  const isKnown = isOfMcp || outputSchema !== null;
  return { definition: pinOf({ description, inputSchema, outputSchema: isKnown ? outputSchema : undefined }) };
}

/** Which tools forbid which, so that a check looks at one tool's own list. */
export type ForbiddenBy = ReadonlyMap<string, (CompiledCheck & { readonly kind: "forbidden_by" })["tools"]>;

/** Lowers one contract without errors. */
export function lowerTool(
  context: RuleContext,
  session: SessionContract | null,
  { contract, forbiddenBy }: { readonly contract: ToolContract; readonly forbiddenBy: ForbiddenBy },
): CompiledTool {
  const forbidden = forbiddenBy.get(contract.tool);
  const checks: readonly CompiledCheck[] = [
    ...(forbidden === undefined ? [] : [{ kind: "forbidden_by" as const, tools: forbidden }]),
    ...orderingChecks(contract),
    ...schemaChecks(context, contract),
    ...argumentChecks(contract),
    ...toolCheckpoint(contract),
    ...sessionChecks(session, contract),
    // After those of the session.
    ...toolRequirements(contract),
  ];
  const atDispatch = contract.commit_requirement === "none" || contract.evidence_class === "unverifiable";
  return {
    name: contract.tool,
    at: placeAt(contract, "tool"),
    side_effect: contract.side_effect,
    evidence_class: contract.evidence_class,
    commits: atDispatch ? "at_dispatch" : "on_result",
    total_ms: contract.timeouts.total_ms,
    max_attempts: contract.retries.max_attempts,
    retry_on: contract.retries.retry_on,
    respect_retry_after: contract.rate_limits.on_429.respect_retry_after,
    max_sleep_seconds: contract.rate_limits.on_429.max_sleep_seconds,
    allowed_errors: contract.allowed_errors.map((entry, index) => lowerAllowedError(contract, entry, index)),
    checks: inOrder(checks),
    output_invariants: contract.assertions.output_invariants.map(lowerRule),
    ...lowerEnsures(contract),
    advances_to: contract.transitions?.advances_to ?? null,
    forbids_after: contract.forbids_after ?? [],
    ...lowerBinds(contract),
    response_format: lowerResponseFormat(contract),
    ...lowerDefinition(context, contract),
  };
}
