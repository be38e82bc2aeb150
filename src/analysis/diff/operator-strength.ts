import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { all, ofLower, ofPermitted, ofUpper, type Strength } from "./strength.js";

/** A single permitted value is a list of one. */
function normal(operator: CompiledOperator): CompiledOperator {
  return operator.op === "equals" ? { op: "one_of", values: [operator.value] } : operator;
}

function ofType(before: string, after: string): Strength {
  if (before === "integer" && after === "number") return "looser";
  return before === "number" && after === "integer" ? "tighter" : "unclear";
}

/** Two different operators of one kind. */
function ofOperator(before: CompiledOperator, after: CompiledOperator): Strength {
  if (before.op === "one_of" && after.op === "one_of") {
    return ofPermitted(before.values.map(canonicalJson), after.values.map(canonicalJson));
  }
  if (before.op === "type" && after.op === "type") return ofType(before.value, after.value);
  const isNumeric = "value" in before && "value" in after;
  if (!isNumeric || typeof before.value !== "number" || typeof after.value !== "number") return "unclear";
  if (/^(?:lte|lt|length_lte)$/.test(before.op)) return ofUpper(before.value, after.value);
  return /^(?:gte|gt|length_gte)$/.test(before.op) ? ofLower(before.value, after.value) : "unclear";
}

/** All operators must hold, so one less is looser and one more is tighter. */
export function ofOperators(before: readonly CompiledOperator[], after: readonly CompiledOperator[]): Strength {
  const [old, current] = [before.map(normal), after.map(normal)];
  const dropped = old.filter(({ op }) => !current.some((other) => other.op === op));
  const added = current.filter(({ op }) => !old.some((other) => other.op === op));
  const kept = old.flatMap((operator): Strength[] => {
    const match = current.find(({ op }) => op === operator.op);
    if (match === undefined || canonicalJson(match) === canonicalJson(operator)) return [];
    return [ofOperator(operator, match)];
  });
  return all([...dropped.map(() => "looser" as const), ...added.map(() => "tighter" as const), ...kept]);
}

/** All entries must hold; entries on the same path are compared with each other. */
export function ofEntries(before: readonly CompiledInvariant[], after: readonly CompiledInvariant[]): Strength {
  const rest = [...after];
  const strengths = before.map(({ path, operators }): Strength => {
    const at = rest.findIndex((other) => other.path.text === path.text);
    const [match] = at === -1 ? [] : rest.splice(at, 1);
    return match === undefined ? "looser" : ofOperators(operators, match.operators);
  });
  return all([...strengths, ...rest.map(() => "tighter" as const)]);
}
