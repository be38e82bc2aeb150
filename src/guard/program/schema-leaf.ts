import type { AnyTest, NumberTest, SchemaTest, StringTest } from "../../artifact/compiled-schema.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { spend } from "../../base/cost.js";
import { isMultipleOf } from "../../base/decimal.js";
import { deepEqual } from "../../base/equal.js";
import { unreachable } from "../../base/invariant.js";
import { type Json, type TypeName, typeOf } from "../../base/json.js";
import { compareLength } from "../../base/length.js";
import { joined, shownWhole } from "../../base/wording.js";
import { matchPattern } from "../values/match-pattern.js";

/** A value and its path from the root. */
export interface Here {
  readonly value: Json;
  readonly parent: Here | null;
  readonly step: string | number;
}

/** A failure whose text is not built yet: most of them are alternatives that are never reported. */
export interface Failure {
  readonly here: Here;
  readonly keyword: string;
  readonly required: () => string;
}

/** Ends a run that cannot be judged. Thrown, because a failure below `not` would become a pass. */
export class TooMuch extends Error {}

/** Builds a failure; its text is built only if it is reported. */
export function fail(here: Here, keyword: string, required: () => string): Failure {
  return { here, keyword, required };
}

/** The keyword in the spelling of JSON Schema. */
function keywordOf({ kind }: SchemaTest): string {
  return kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The value under a key or index. */
export function below(here: Here, step: string | number, value: Json): Here {
  return { value, parent: here, step };
}

function hasType(value: Json, type: TypeName): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type && (type !== "number" || Number.isFinite(value));
}

/** Tests for values of every type. */
export function testAny(test: AnyTest, here: Here): Failure | null {
  switch (test.kind) {
    case "type":
      for (const type of test.types) if (hasType(here.value, type)) return null;
      return fail(here, "type", () => `a value of type ${test.types.join(" or ")}`);
    case "enum":
      spend(2 * test.values.length);
      if (test.values.some((value) => deepEqual(value, here.value))) return null;
      return fail(here, "enum", () => `one of ${joined(test.values, shownWhole, ", ")}`);
    case "const":
      if (deepEqual(test.value, here.value)) return null;
      return fail(here, "const", () => `exactly ${shownWhole(test.value)}`);
    default:
      return unreachable(test);
  }
}

// Stated as what must hold, so that NaN passes none of them.
const BOUNDS = {
  minimum: { holds: (value: number, bound: number) => value >= bound, words: "at least" },
  maximum: { holds: (value: number, bound: number) => value <= bound, words: "at most" },
  exclusive_minimum: { holds: (value: number, bound: number) => value > bound, words: "more than" },
  exclusive_maximum: { holds: (value: number, bound: number) => value < bound, words: "less than" },
  multiple_of: { holds: isMultipleOf, words: "a multiple of" },
} as const;

/** Tests of a number. */
export function testNumber(test: NumberTest, here: Here, value: number): Failure | null {
  const { holds, words } = BOUNDS[test.kind];
  return holds(value, test.value) ? null : fail(here, keywordOf(test), () => `${words} ${test.value}`);
}

type CountTest = Extract<SchemaTest, { readonly count: number }>;

/** Tests of a count; `difference` is the count minus the bound. */
export function testCount(
  test: CountTest,
  here: Here,
  counted: { readonly difference: number; readonly of: string },
): Failure | null {
  const isLower = test.kind.startsWith("min_");
  if (isLower ? counted.difference >= 0 : counted.difference <= 0) return null;
  return fail(here, keywordOf(test), () => `${isLower ? "at least" : "at most"} ${test.count} ${counted.of}`);
}

/** Tests of a string. */
export function testString(test: StringTest, here: Here, value: string): Failure | null {
  if (test.kind !== "pattern")
    return testCount(test, here, { difference: compareLength(value, test.count), of: "characters" });
  if (matchPattern(test.pattern, value)) return null;
  return fail(here, "pattern", () => `a match of \`${test.pattern.source}\``);
}

/** The cost of keeping a text in a set, besides building it. */
const UNIQUE_COST = 64;

/** Tests that no item of a list occurs twice. */
export function testUnique(here: Here, value: readonly Json[]): Failure | null {
  // Equal values have equal canonical texts, which keeps this linear in the size of the list.
  const seen = new Set<string>();
  spend(UNIQUE_COST * value.length);
  const repeated = value.findIndex((item) => seen.size === seen.add(canonicalJson(item)).size);
  if (repeated === -1) return null;
  return fail(here, "uniqueItems", () => `items that differ from each other, but [${repeated}] occurs before`);
}
