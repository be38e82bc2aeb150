import type {
  AnyTest,
  CombinedTest,
  CompiledSchema,
  ListTest,
  NumberTest,
  ObjectTest,
  SchemaNode,
  SchemaTest,
  StringTest,
} from "../artifact/compiled-schema.js";
import type { CompiledPattern } from "../artifact/compiled-value.js";
import { canonicalJson } from "../base/canonical-json.js";
import { isMultipleOf } from "../base/decimal.js";
import { deepEqual } from "../base/equal.js";
import { invariant, unreachable } from "../base/invariant.js";
import { isJsonObject, type Json, type JsonObject, type TypeName, typeOf } from "../base/json.js";
import { jsonPath, type Segment } from "../base/json-path.js";
import { matchPattern } from "./match-pattern.js";

/** Where a value is not as the schema of its tool asks for. */
export interface SchemaFailure {
  /** Canonical path of the offending value. */
  readonly path: string;
  /** The keyword of the schema, as JSON Schema spells it. */
  readonly keyword: string;
  /** What was required, in words. */
  readonly required: string;
  readonly found: Json;
}

/** A value on its way down from the root. */
interface Here {
  readonly value: Json;
  readonly parent: Here | null;
  readonly step: string | number;
}

/** A failure whose text is not built yet: most of them are alternatives that nobody asks about again. */
interface Failure {
  readonly here: Here;
  readonly keyword: string;
  readonly required: () => string;
}

/** One run over one value. */
interface Run {
  readonly defs: readonly SchemaNode[];
  nesting: number;
  stepsLeft: number;
}

/** Ends a run that cannot be judged; thrown, because a failure below `not` would turn into a pass. */
class TooMuch extends Error {}

const MAX_VALUE_DEPTH = 200;
// A list of 200 links nests 600 nodes. Measured on Node 20: the default stack holds 1,460 at least.
const MAX_NESTING = 800;
// Alternatives over refs can fan out exponentially. With these, time is bounded linearly by the size of the value.
const FREE_STEPS = 100_000;
const STEPS_PER_VALUE = 1000;

function fail(here: Here, keyword: string, required: () => string): Failure {
  return { here, keyword, required };
}

/** The keyword in the spelling of JSON Schema. */
function keywordOf({ kind }: SchemaTest): string {
  return kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function below(here: Here, step: string | number, value: Json): Here {
  return { value, parent: here, step };
}

function pathOf(here: Here): string {
  const segments: Segment[] = [];
  for (let at = here; at.parent !== null; at = at.parent) {
    const selector =
      typeof at.step === "string"
        ? ({ kind: "name", name: at.step } as const)
        : ({ kind: "index", index: at.step } as const);
    segments.push({ descend: false, selectors: [selector] });
  }
  return jsonPath(segments.reverse()).text;
}

function matches(pattern: CompiledPattern, text: string): boolean {
  const isMatch = matchPattern(pattern, text);
  if (isMatch === null) throw new TooMuch();
  return isMatch;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function hasType(value: Json, type: TypeName): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type && (type !== "number" || Number.isFinite(value));
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function testAny(test: AnyTest, here: Here): Failure | null {
  switch (test.kind) {
    case "type":
      if (test.types.some((type) => hasType(here.value, type))) return null;
      return fail(here, "type", () => `a value of type ${test.types.join(" or ")}`);
    case "enum":
      if (test.values.some((value) => deepEqual(value, here.value))) return null;
      return fail(here, "enum", () => `one of ${test.values.map((value) => JSON.stringify(value)).join(", ")}`);
    case "const":
      if (deepEqual(test.value, here.value)) return null;
      return fail(here, "const", () => `exactly ${JSON.stringify(test.value)}`);
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

function testNumber(test: NumberTest, here: Here, value: number): Failure | null {
  const { holds, words } = BOUNDS[test.kind];
  return holds(value, test.value) ? null : fail(here, keywordOf(test), () => `${words} ${test.value}`);
}

type CountTest = Extract<SchemaTest, { readonly count: number }>;

function testCount(
  test: CountTest,
  here: Here,
  counted: { readonly size: number; readonly of: string },
): Failure | null {
  const isLower = test.kind.startsWith("min_");
  if (isLower ? counted.size >= test.count : counted.size <= test.count) return null;
  return fail(here, keywordOf(test), () => `${isLower ? "at least" : "at most"} ${test.count} ${counted.of}`);
}

function testString(test: StringTest, here: Here, value: string): Failure | null {
  if (test.kind !== "pattern") return testCount(test, here, { size: [...value].length, of: "characters" });
  if (matches(test.pattern, value)) return null;
  return fail(here, "pattern", () => `a match of \`${test.pattern.source}\``);
}

function firstFailure<T>(items: readonly T[], judge: (item: T) => Failure | null): Failure | null {
  for (const item of items) {
    const failure = judge(item);
    if (failure !== null) return failure;
  }
  return null;
}

function evaluateProperty(run: Run, node: SchemaNode, here: Here, name: string): Failure | null {
  if (!isJsonObject(here.value) || !Object.hasOwn(here.value, name)) return null;
  return evaluate(run, node, below(here, name, here.value[name] ?? null));
}

function testAdditional(run: Run, test: ObjectTest & { kind: "additional_properties" }, here: Here, name: string) {
  if (test.names.includes(name) || test.patterns.some((pattern) => matches(pattern, name))) return null;
  const failure = evaluateProperty(run, test.node, here, name);
  if (failure === null || test.node !== false) return failure;
  return fail(failure.here, "additionalProperties", () =>
    test.names.length === 0 ? "no such property" : `no property besides ${quoted(test.names)}`,
  );
}

function testName(run: Run, node: SchemaNode, here: Here, name: string): Failure | null {
  const failure = evaluate(run, node, { ...here, value: name });
  if (failure === null) return null;
  return fail(failure.here, "propertyNames", () => `a property name that is ${failure.required()}`);
}

function testRequired(here: Here, keyword: string, names: readonly string[]): Failure | null {
  const value = here.value;
  const missing = names.find((name) => !isJsonObject(value) || !Object.hasOwn(value, name));
  return missing === undefined ? null : fail(here, keyword, () => `an object with \`${missing}\``);
}

function testObject(run: Run, test: ObjectTest, here: Here, value: JsonObject): Failure | null {
  switch (test.kind) {
    case "properties":
      return firstFailure(test.entries, ({ name, node }) => evaluateProperty(run, node, here, name));
    case "required":
      return testRequired(here, "required", test.names);
    case "additional_properties":
      return firstFailure(Object.keys(value), (name) => testAdditional(run, test, here, name));
    case "pattern_properties":
      return firstFailure(test.entries, ({ pattern, node }) =>
        firstFailure(Object.keys(value), (name) =>
          matches(pattern, name) ? evaluateProperty(run, node, here, name) : null,
        ),
      );
    case "property_names":
      return firstFailure(Object.keys(value), (name) => testName(run, test.node, here, name));
    case "min_properties":
    case "max_properties":
      return testCount(test, here, { size: Object.keys(value).length, of: "properties" });
    case "dependent_required":
      return firstFailure(test.entries, (entry) =>
        Object.hasOwn(value, entry.name) ? testRequired(here, "dependentRequired", entry.names) : null,
      );
    case "dependent_schemas":
      return firstFailure(test.entries, ({ name, node }) =>
        Object.hasOwn(value, name) ? evaluate(run, node, here) : null,
      );
    default:
      return unreachable(test);
  }
}

function testContains(run: Run, test: ListTest & { kind: "contains" }, here: Here, value: readonly Json[]) {
  const count = value.filter((item, index) => evaluate(run, test.node, below(here, index, item)) === null).length;
  if (count < test.min) return fail(here, "contains", () => `at least ${test.min} items of the asked kind`);
  if (test.max === null || count <= test.max) return null;
  return fail(here, "maxContains", () => `at most ${test.max} items of the asked kind`);
}

function testUnique(here: Here, value: readonly Json[]): Failure | null {
  // Equal values have equal canonical texts, which keeps this linear in the size of the list.
  const seen = new Set<string>();
  const repeated = value.findIndex((item) => seen.size === seen.add(canonicalJson(item)).size);
  if (repeated === -1) return null;
  return fail(here, "uniqueItems", () => `items that differ from each other, but [${repeated}] occurs before`);
}

function testList(run: Run, test: ListTest, here: Here, value: readonly Json[]): Failure | null {
  switch (test.kind) {
    case "items":
      for (let index = test.from; index < value.length; index++) {
        const failure = evaluate(run, test.node, below(here, index, value[index] ?? null));
        if (failure !== null) return failure;
      }
      return null;
    case "prefix_items":
      return firstFailure([...test.nodes.slice(0, value.length).entries()], ([index, node]) =>
        evaluate(run, node, below(here, index, value[index] ?? null)),
      );
    case "contains":
      return testContains(run, test, here, value);
    case "min_items":
    case "max_items":
      return testCount(test, here, { size: value.length, of: "items" });
    case "unique_items":
      return testUnique(here, value);
    default:
      return unreachable(test);
  }
}

function testAnyOf(run: Run, nodes: readonly SchemaNode[], here: Here): Failure | null {
  const failures: Failure[] = [];
  for (const node of nodes) {
    const failure = evaluate(run, node, here);
    if (failure === null) return null;
    failures.push(failure);
  }
  // Where only one alternative is meant for this type of value, its own failure tells more.
  const [near, ...others] = failures.filter((failure) => failure.keyword !== "type" || failure.here !== here);
  if (near !== undefined && others.length === 0) return near;
  return fail(here, "anyOf", () => `${failures.map((failure) => failure.required()).join(", or ")}`);
}

function testCombined(run: Run, test: CombinedTest, here: Here): Failure | null {
  switch (test.kind) {
    case "all_of":
      return firstFailure(test.nodes, (node) => evaluate(run, node, here));
    case "any_of":
      return testAnyOf(run, test.nodes, here);
    case "one_of": {
      const count = test.nodes.filter((node) => evaluate(run, node, here) === null).length;
      if (count === 1) return null;
      return fail(here, "oneOf", () => `exactly one of ${test.nodes.length} alternatives, not ${count}`);
    }
    case "not":
      if (evaluate(run, test.node, here) !== null) return null;
      return fail(here, "not", () => "a value that the schema below `not` refuses");
    case "if_then_else":
      return evaluate(run, evaluate(run, test.condition, here) === null ? test.consequent : test.alternative, here);
    case "ref": {
      const node = run.defs[test.def];
      invariant(node !== undefined, "a ref names a node of its own schema");
      return evaluate(run, node, here);
    }
    default:
      return unreachable(test);
  }
}

function testValue(run: Run, test: SchemaTest, here: Here): Failure | null {
  const { value } = here;
  switch (test.kind) {
    case "type":
    case "enum":
    case "const":
      return testAny(test, here);
    case "minimum":
    case "maximum":
    case "exclusive_minimum":
    case "exclusive_maximum":
    case "multiple_of":
      return typeof value === "number" ? testNumber(test, here, value) : null;
    case "pattern":
    case "min_length":
    case "max_length":
      return typeof value === "string" ? testString(test, here, value) : null;
    case "items":
    case "prefix_items":
    case "contains":
    case "min_items":
    case "max_items":
    case "unique_items":
      return isList(value) ? testList(run, test, here, value) : null;
    case "all_of":
    case "any_of":
    case "one_of":
    case "not":
    case "if_then_else":
    case "ref":
      return testCombined(run, test, here);
    default:
      return isJsonObject(value) ? testObject(run, test, here, value) : null;
  }
}

function evaluate(run: Run, node: SchemaNode, here: Here): Failure | null {
  if (node === true) return null;
  if (node === false) return fail(here, "false", () => "no value at all");
  run.nesting++;
  run.stepsLeft--;
  if (run.nesting > MAX_NESTING || run.stepsLeft < 0) throw new TooMuch();
  let failure: Failure | null = null;
  for (const test of node) {
    failure = testValue(run, test, here);
    if (failure !== null) break;
  }
  run.nesting--;
  return failure;
}

/** How many values a value holds, itself included; infinite if it is deeper than so many levels. */
function sizeOf(value: Json, levels: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  const children = isJsonObject(value) ? Object.values(value) : value;
  return children.reduce<number>((sum, child) => sum + sizeOf(child, levels - 1), 1);
}

/** Judges a value by a compiled schema; the first thing that is not as required, or null. */
export function checkSchema(schema: CompiledSchema, value: Json): SchemaFailure | null {
  const unjudged = (required: string): SchemaFailure => ({ path: "$", keyword: "limits", required, found: null });
  const size = sizeOf(value, MAX_VALUE_DEPTH);
  if (size === Number.POSITIVE_INFINITY) return unjudged(`a value at most ${MAX_VALUE_DEPTH} levels deep`);
  const run: Run = { defs: schema.defs, nesting: 0, stepsLeft: FREE_STEPS + STEPS_PER_VALUE * size };
  try {
    const failure = evaluate(run, schema.root, { value, parent: null, step: "" });
    if (failure === null) return null;
    const { here, keyword, required } = failure;
    return { path: pathOf(here), keyword, required: required(), found: here.value };
  } catch (cause) {
    if (cause instanceof TooMuch) return unjudged("a value that the schema can judge in bounded time and depth");
    throw cause;
  }
}
