import type { CheckOf, CompiledCheck } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { keySpan, valueSpan } from "../../language/located.js";
import type { SessionContract } from "../../language/schema/session.js";
import type {
  Checkpoint,
  Condition,
  ExpressionCondition,
  Principal,
  SessionCheckpoint,
} from "../../language/schema/shared.js";
import type { ToolContract } from "../../language/schema/tool.js";
import { isExpressionCondition } from "../checkpoint-conditions.js";
import { judgedIn } from "../expression/pack-expressions.js";
import { placeOf } from "../place.js";
import { sessionRequirements } from "./lower-expression.js";
import {
  becauseOf,
  lowerInvariant,
  lowerPath,
  lowerPrincipal,
  nothingLeft,
  type OnlyKeys,
  placeIn,
} from "./lower-value.js";

/** The tool a check is lowered for; null for tools without a contract. */
export type Subject = ToolContract | null;

function names(list: readonly string[] | undefined, subject: Subject): boolean {
  return list === undefined || (subject !== null && list.includes(subject.tool));
}

function gateCheck(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  if (subject?.gate === "allow") return [];
  if (subject?.gate === "block") return [{ kind: "gate", at: placeOf(keySpan(subject, "gate")), source: "gate" }];
  const defaults = session?.risk_defaults;
  if (subject === null || defaults?.[subject.side_effect] !== "block") return [];
  return [{ kind: "gate", at: placeOf(keySpan(defaults, subject.side_effect)), source: "risk_defaults" }];
}

function policyCheck(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  const rules = session?.policy?.rules ?? [];
  const entry = (rule: { readonly principal?: Principal; readonly reason?: string }) => ({
    at: placeIn(rule),
    principal: lowerPrincipal(rule.principal),
    ...becauseOf(rule.reason),
  });
  const covering = (kind: "allow" | "deny") =>
    rules.flatMap((rule) => (rule[kind] !== undefined && names(rule[kind].tools, subject) ? [entry(rule[kind])] : []));
  const denies = [...covering("deny"), ...(subject?.policy?.deny ?? []).map(entry)];
  const allows = [...covering("allow"), ...(subject?.policy?.allow ?? []).map(entry)];
  const denied = session?.policy?.default_deny === true ? placeOf(keySpan(session.policy, "default_deny")) : null;
  if (denies.length === 0 && allows.length === 0 && denied === null) return [];
  return [{ kind: "policy", denies, allows, default_deny: allows.length > 0 ? null : denied }];
}

function labelGates(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  return (session?.policy?.label_gates ?? [])
    .filter(({ deny_tools }) => names(deny_tools, subject))
    .map((gate) => {
      const { when_label: label, deny_tools: _, reason, ...rest } = gate;
      nothingLeft(rest);
      return { kind: "label_gate", at: placeIn(gate), label, reason };
    });
}

function limitChecks(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  const limits = session?.session_limits;
  if (limits === undefined) return [];
  const checks: CompiledCheck[] = [];
  const at = (key: keyof typeof limits & string) => placeOf(keySpan(limits, key));
  if (limits.max_steps !== undefined) checks.push({ kind: "max_steps", at: at("max_steps"), max: limits.max_steps });
  if (limits.max_tool_calls !== undefined) {
    checks.push({ kind: "max_tool_calls", at: at("max_tool_calls"), max: limits.max_tool_calls });
  }
  const perTool = limits.max_calls_per_tool ?? {};
  const own = subject === null ? undefined : Object.entries(perTool).find(([tool]) => tool === subject.tool);
  if (own !== undefined) {
    checks.push({ kind: "max_calls_per_tool", at: placeOf(keySpan(perTool, own[0])), max: own[1] });
  }
  if (limits.max_calls_per_step !== undefined) {
    checks.push({ kind: "max_calls_per_step", at: at("max_calls_per_step"), max: limits.max_calls_per_step });
  }
  if (limits.max_cost_per_session !== undefined) {
    checks.push({ kind: "max_cost", at: at("max_cost_per_session"), max: limits.max_cost_per_session });
  }
  if (limits.loop_detection !== undefined) {
    checks.push({ kind: "loop_detection", at: at("loop_detection"), ...limits.loop_detection });
  }
  return checks;
}

function aggregateChecks(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  return (session?.aggregates ?? []).flatMap(({ tool }, index): CompiledCheck[] => {
    const applies = tool === "*" || names(typeof tool === "string" ? [tool] : tool, subject);
    return applies ? [{ kind: "aggregate", index }] : [];
  });
}

/** Envelopes that a call of the tool must satisfy; stages that only set a reference are not checks. */
function envelopeChecks(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  return (session?.envelopes ?? []).flatMap(({ stages }, index): CompiledCheck[] => {
    const constrained = stages.some(({ tool, role }) => role === "constrained" && names([tool], subject));
    return constrained ? [{ kind: "envelope", index }] : [];
  });
}

/** Argument values that a stage reads must be there when the call is proposed. */
function stageCaptures(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  return (session?.envelopes ?? []).flatMap(({ stages }) =>
    stages
      .filter(({ tool, source }) => source !== "output" && names([tool], subject))
      .map((stage): CompiledCheck => ({ kind: "capture", at: placeIn(stage), path: lowerPath(stage.path) })),
  );
}

type CompiledCondition = NonNullable<CheckOf<"checkpoint">["when"]>[number];

function lowerCondition(condition: Condition | ExpressionCondition): CompiledCondition {
  if (!isExpressionCondition(condition)) return lowerInvariant(condition);
  const { that: _, ...rest } = condition;
  nothingLeft(rest);
  return { at: placeIn(condition), that: judgedIn(condition) };
}

/** One checkpoint as a check; `concerns` has already compared the side effect. */
function checkpointCheck<C extends Checkpoint>(
  at: Place,
  name: string | null,
  checkpoint: C & OnlyKeys<C, keyof Checkpoint>,
): CompiledCheck {
  const fields: Checkpoint = checkpoint;
  const { when, when_side_effect: _, match = "any", timeout_seconds, on_timeout = "deny", ...others } = fields;
  const { context, reason, ...rest } = others;
  nothingLeft(rest);
  return {
    kind: "checkpoint",
    at,
    name,
    when: when === "always" ? null : when.map(lowerCondition),
    match,
    timeout_seconds,
    on_timeout,
    context: (context ?? []).map(({ path, label }) => ({ path: lowerPath(path), label })),
    ...becauseOf(reason),
  };
}

function namedCheckpoint(checkpoint: SessionCheckpoint): CompiledCheck {
  const { name, tool: _, ...fields } = checkpoint;
  return checkpointCheck(placeIn(checkpoint), name, fields);
}

/** Whether a checkpoint is for tools of this side effect at all. */
export function concerns(checkpoint: Checkpoint, subject: Subject): boolean {
  const only = checkpoint.when_side_effect;
  return only === undefined || only === subject?.side_effect;
}

function sessionCheckpoints(session: SessionContract | null, subject: Subject): CompiledCheck[] {
  return (session?.checkpoints ?? [])
    .filter((checkpoint) => checkpoint.tool === "*" || names([checkpoint.tool], subject))
    .filter((checkpoint) => concerns(checkpoint, subject))
    .map(namedCheckpoint);
}

/** Every check that session.yaml puts on one tool. */
export function sessionChecks(session: SessionContract | null, subject: Subject): readonly CompiledCheck[] {
  return [
    ...gateCheck(session, subject),
    ...policyCheck(session, subject),
    ...labelGates(session, subject),
    ...limitChecks(session, subject),
    ...stageCaptures(session, subject),
    ...sessionRequirements(session, subject?.tool ?? null),
    ...aggregateChecks(session, subject),
    ...envelopeChecks(session, subject),
    ...sessionCheckpoints(session, subject),
  ];
}

/** The order of checks decides where the tool's own checkpoint comes among the others. */
export function toolCheckpoint(contract: ToolContract): readonly CompiledCheck[] {
  const { checkpoint } = contract;
  return checkpoint !== undefined && concerns(checkpoint, contract)
    ? [checkpointCheck(placeIn(checkpoint), null, checkpoint)]
    : [];
}

/** The place of a field's value, for the artifact. */
export function placeAt<T extends object>(container: T, key: keyof T & (string | number)) {
  return placeOf(valueSpan(container, key));
}
