import type { CompiledTool } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { judgePlain } from "../../artifact/judge-plain.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { type Json, type TypeName, typeOf } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";

/** A place in the arguments, with everything that a value there must satisfy. */
interface Demanded {
  readonly path: JsonPath;
  readonly operators: CompiledOperator[];
}

/** What the checks of a tool ask of single places; only what every call must have. */
function demandsOf({ checks }: CompiledTool): readonly Demanded[] {
  const byPlace = new Map<string, Demanded>();
  for (const check of checks) {
    const asked = operatorsOf(check);
    if (asked === null || asked.path.kind !== "definite") continue;
    const key = canonicalJson([...asked.path.steps]);
    const demanded = byPlace.get(key) ?? { path: asked.path, operators: [] };
    demanded.operators.push(...asked.operators);
    byPlace.set(key, demanded);
  }
  return [...byPlace.values()];
}

function operatorsOf(
  check: CompiledTool["checks"][number],
): { readonly path: JsonPath; readonly operators: readonly CompiledOperator[] } | null {
  switch (check.kind) {
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return check;
    case "derived_invariant":
      return check.optional || check.passes.length > 0 ? null : { path: check.path, operators: [check.operator] };
    default:
      return null;
  }
}

type JsonType = Exclude<TypeName, "integer">;

const ALL_TYPES: readonly JsonType[] = ["string", "number", "boolean", "object", "array", "null"];
const NUMBERS: readonly JsonType[] = ["number"];
const LONG: readonly JsonType[] = ["string", "array"];

/** The types of values that an operator may accept. */
function typesOf(operator: CompiledOperator): readonly JsonType[] {
  switch (operator.op) {
    case "gte":
    case "lte":
    case "gt":
    case "lt":
    case "multiple_of":
      return NUMBERS;
    case "regex":
    case "equals_env":
      return ["string"];
    case "contains":
    case "length_gte":
    case "length_lte":
      return LONG;
    case "type":
      return operator.value === "integer" ? NUMBERS : [operator.value];
    case "equals":
      return [typeOf(operator.value)];
    case "one_of":
      return operator.values.map(typeOf);
    case "exists":
      return operator.value ? ALL_TYPES.filter((type) => type !== "null") : ["null"];
  }
}

/** Whether a value may pass; patterns and the environment are taken to accept every text. */
function mayPass(operator: CompiledOperator, value: Json): boolean {
  if (operator.op === "regex" || operator.op === "equals_env") return typeof value === "string";
  return judgePlain(operator, value) === true;
}

/** The values that one of the operators lists; null where none does. */
function listedBy(operators: readonly CompiledOperator[]): readonly Json[] | null {
  for (const operator of operators) {
    if (operator.op === "equals") return [operator.value];
    if (operator.op === "one_of") return operator.values;
  }
  return null;
}

function isEmptyRange(operators: readonly CompiledOperator[]): boolean {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (const operator of operators) {
    if (operator.op === "gte" || operator.op === "gt") least = Math.max(least, operator.value);
    if (operator.op === "lte" || operator.op === "lt") most = Math.min(most, operator.value);
  }
  if (least !== most) return least > most;
  return operators.some(({ op, ...rest }) => (op === "gt" || op === "lt") && "value" in rest && rest.value === least);
}

function isEmptyLength(operators: readonly CompiledOperator[]): boolean {
  const lower = operators.flatMap((operator) => (operator.op === "length_gte" ? [operator.value] : []));
  const upper = operators.flatMap((operator) => (operator.op === "length_lte" ? [operator.value] : []));
  return Math.max(0, ...lower) > Math.min(Number.POSITIVE_INFINITY, ...upper);
}

/** Whether no value, and no absence, satisfies all operators; false says nothing. */
export function isImpossible(operators: readonly CompiledOperator[]): boolean {
  // Only `exists: false` accepts a value that is not there.
  if (operators.every((operator) => operator.op === "exists" && !operator.value)) return false;
  const listed = listedBy(operators);
  if (listed !== null) return !listed.some((value) => operators.every((operator) => mayPass(operator, value)));
  const types = operators.map(typesOf);
  if (!ALL_TYPES.some((type) => types.every((accepted) => accepted.includes(type)))) return true;
  return isEmptyRange(operators) || isEmptyLength(operators);
}

/** The first place in the arguments of a tool for which its rules leave no value. */
export function impossiblePlace(tool: CompiledTool): JsonPath | null {
  return demandsOf(tool).find(({ operators }) => isImpossible(operators))?.path ?? null;
}
