import type { CompiledCheck, CompiledTool } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { acceptsAbsence, domainOf, mayHold } from "../../operators/index.js";
import type { Engine } from "../../operators/operator.js";
import { ALL_TYPES, type Range, type ValueSet, type ValueType } from "../../operators/value-set.js";
import { entryOf } from "../values/argument-rules.js";
import type { Entry } from "../values/path-values.js";

/** A path in the arguments, with everything that a value there must satisfy. */
interface Demanded {
  readonly path: JsonPath;
  readonly operators: CompiledOperator[];
}

/** What the checks of a tool, and further entries, require at definite paths of every call. */
function demandsOf({ checks }: CompiledTool, further: readonly Entry[]): readonly Demanded[] {
  const byPlace = new Map<string, Demanded>();
  for (const asked of [...checks.map(requiredBy), ...further]) {
    if (asked === null || asked.path.kind !== "definite") continue;
    const key = canonicalJson([...asked.path.steps]);
    const demanded = byPlace.get(key) ?? { path: asked.path, operators: [] };
    demanded.operators.push(...asked.operators);
    byPlace.set(key, demanded);
  }
  return [...byPlace.values()];
}

/** The path and operators of a check that judges every call. */
function requiredBy(check: CompiledCheck): Entry | null {
  if (check.kind === "derived_invariant" && (check.optional || check.passes.length > 0)) return null;
  return check.kind === "capture" ? null : entryOf(check);
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
function isImpossible(operators: readonly CompiledOperator[]): boolean {
  // Only `exists: false` accepts an absent value.
  if (operators.every(acceptsAbsence)) return false;
  const sets = operators.map((operator) => domainOf(operator).accepts);
  const listed = listedBy(sets);
  if (listed !== null) return !listed.some((value) => operators.every((operator) => mayHold(operator, value, ENGINE)));
  return ALL_TYPES.every((type) => isExcluded(type, sets));
}

/** The first path in the arguments of a tool for which its rules, and further entries, accept no value. */
export function impossiblePlace(tool: CompiledTool, further: readonly Entry[] = []): JsonPath | null {
  return demandsOf(tool, further).find(({ operators }) => isImpossible(operators))?.path ?? null;
}

/** The operators of a check on a number at a path; an optional property is judged where it is present. */
function onNumbers(check: CompiledCheck, path: JsonPath): readonly CompiledOperator[] {
  const isPassed =
    check.kind === "derived_invariant" && check.passes.some((type) => type === "number" || type === "integer");
  const entry = check.kind === "capture" || isPassed ? null : entryOf(check);
  return entry?.path.text === path.text ? entry.operators : [];
}

/** The least and the greatest number that the rules of a tool, and further entries, may leave at a path. */
export function numbersAt(
  { checks }: CompiledTool,
  path: JsonPath,
  further: readonly Entry[],
): { readonly low: number; readonly high: number } {
  const own = checks.flatMap((check) => onNumbers(check, path));
  const added = further.flatMap((entry) => (entry.path.text === path.text ? entry.operators : []));
  const sets = [...own, ...added].map((operator) => domainOf(operator).accepts);
  const listed = sets.flatMap(({ values }) => {
    const numbers = values?.filter((value) => typeof value === "number");
    return numbers === undefined || numbers.length === 0 ? [] : [numbers];
  });
  const low = Math.max(...sets.map(({ numbers }) => numbers.low), ...listed.map((numbers) => Math.min(...numbers)));
  const high = Math.min(...sets.map(({ numbers }) => numbers.high), ...listed.map((numbers) => Math.max(...numbers)));
  return { low, high };
}
