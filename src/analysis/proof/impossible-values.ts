import type { CompiledTool } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { acceptsAbsence, domainOf, mayHold } from "../../operators/index.js";
import type { Engine } from "../../operators/operator.js";
import { ALL_TYPES, type Range, type ValueSet, type ValueType } from "../../operators/value-set.js";

/** A path in the arguments, with everything that a value there must satisfy. */
interface Demanded {
  readonly path: JsonPath;
  readonly operators: CompiledOperator[];
}

/** What the checks of a tool require at definite paths of every call. */
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

/** Patterns are taken to match every text. */
const ENGINE: Engine = { matcherOf: () => () => true };

/** The values that one of the operators lists; null if none does. */
function listedBy(sets: readonly ValueSet[]): readonly Json[] | null {
  return sets.find(({ values }) => values !== null)?.values ?? null;
}

function isEmpty(ranges: readonly Range[], lowest: number): boolean {
  const least = Math.max(lowest, ...ranges.map(({ low }) => low));
  const most = Math.min(...ranges.map(({ high }) => high));
  if (least !== most) return least > most;
  return ranges.some(
    ({ low, high, isLowOpen, isHighOpen }) => (isLowOpen && low === least) || (isHighOpen && high === least),
  );
}

/** Whether the descriptions of the sets show that no value of a type is in all of them. */
function isExcluded(type: ValueType, sets: readonly ValueSet[]): boolean {
  if (!sets.every(({ types }) => types.includes(type))) return true;
  if (type === "number") {
    return isEmpty(
      sets.map(({ numbers }) => numbers),
      Number.NEGATIVE_INFINITY,
    );
  }
  if (type !== "string" && type !== "array") return false;
  return isEmpty(
    sets.map(({ lengths }) => lengths[type]),
    0,
  );
}

/** Whether neither a value nor an absent value can satisfy all operators; false means unknown. */
export function isImpossible(operators: readonly CompiledOperator[]): boolean {
  // Only `exists: false` accepts an absent value.
  if (operators.every(acceptsAbsence)) return false;
  const sets = operators.map((operator) => domainOf(operator).accepts);
  const listed = listedBy(sets);
  if (listed !== null) return !listed.some((value) => operators.every((operator) => mayHold(operator, value, ENGINE)));
  return ALL_TYPES.every((type) => isExcluded(type, sets));
}

/** The first path in the arguments of a tool for which its rules accept no value. */
export function impossiblePlace(tool: CompiledTool): JsonPath | null {
  return demandsOf(tool).find(({ operators }) => isImpossible(operators))?.path ?? null;
}
