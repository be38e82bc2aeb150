import type {
  CombinedTest,
  CompiledSchema,
  ListTest,
  ObjectTest,
  SchemaNode,
  SchemaTest,
} from "../../artifact/compiled-schema.js";
import { listingCost, memberCost, ownKeys, spend } from "../../base/cost.js";
import { invariant, unreachable } from "../../base/invariant.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { jsonPath, type Segment } from "../../base/json-path.js";
import { cut, joined } from "../../base/wording.js";
import { matchPattern } from "../values/match-pattern.js";
import {
  below,
  type Failure,
  fail,
  type Here,
  TooMuch,
  testAny,
  testCount,
  testNumber,
  testString,
  testUnique,
} from "./schema-leaf.js";

/** Where a value does not fit the schema of its tool. */
export interface SchemaFailure {
  /** Canonical path of the offending value. */
  readonly path: string;
  /** The keyword of the schema, as JSON Schema spells it. */
  readonly keyword: string;
  /** What was required, in words. */
  readonly required: string;
  readonly found: Json;
}

/** One run over one value. */
interface Run {
  readonly defs: readonly SchemaNode[];
  nesting: number;
  stepsLeft: number;
}

const MAX_VALUE_DEPTH = 200;
// A list of 200 links nests 600 nodes. Measured on Node 20: the default stack holds 1,460 at least.
const MAX_NESTING = 800;
// Alternatives over refs can fan out exponentially. With these, time is bounded linearly by the size of the value.
const FREE_STEPS = 100_000;
const STEPS_PER_VALUE = 1000;

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

function quoted(names: readonly string[]): string {
  return joined(names, (name) => `\`${name}\``, ", ");
}

function firstFailure<T>(items: readonly T[], judge: (item: T) => Failure | null): Failure | null {
  for (const item of items) {
    const failure = judge(item);
    if (failure !== null) return failure;
  }
  return null;
}

function namesOf(value: JsonObject): readonly string[] {
  spend(8);
  const names = ownKeys(value);
  spend(memberCost(names.length));
  return names;
}

function evaluateProperty(run: Run, node: SchemaNode, here: Here, name: string): Failure | null {
  if (!isJsonObject(here.value) || !Object.hasOwn(here.value, name)) return null;
  return evaluate(run, node, below(here, name, here.value[name] ?? null));
}

/** Nearly every schema has properties, so that this is a loop without a closure. */
function testProperties(
  run: Run,
  entries: (ObjectTest & { kind: "properties" })["entries"],
  here: Here,
): Failure | null {
  for (const { name, node } of entries) {
    const failure = evaluateProperty(run, node, here, name);
    if (failure !== null) return failure;
  }
  return null;
}

function testAdditional(run: Run, test: ObjectTest & { kind: "additional_properties" }, here: Here, name: string) {
  spend(test.names.length);
  if (test.names.includes(name) || test.patterns.some((pattern) => matchPattern(pattern, name))) return null;
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
  spend(8 * names.length);
  const missing = names.find((name) => !isJsonObject(value) || !Object.hasOwn(value, name));
  return missing === undefined ? null : fail(here, keyword, () => `an object with \`${missing}\``);
}

function testObject(run: Run, test: ObjectTest, here: Here, value: JsonObject): Failure | null {
  switch (test.kind) {
    case "properties":
      spend(4 * test.entries.length);
      return testProperties(run, test.entries, here);
    case "required":
      return testRequired(here, "required", test.names);
    case "additional_properties":
      return firstFailure(namesOf(value), (name) => testAdditional(run, test, here, name));
    case "pattern_properties": {
      const names = namesOf(value);
      return firstFailure(test.entries, ({ pattern, node }) => {
        spend(8 + 2 * names.length);
        return firstFailure(names, (name) =>
          matchPattern(pattern, name) ? evaluateProperty(run, node, here, name) : null,
        );
      });
    }
    case "property_names":
      return firstFailure(namesOf(value), (name) => testName(run, test.node, here, name));
    case "min_properties":
    case "max_properties":
      return testCount(test, here, { difference: namesOf(value).length - test.count, of: "properties" });
    case "dependent_required":
      spend(8 * test.entries.length);
      return firstFailure(test.entries, (entry) =>
        Object.hasOwn(value, entry.name) ? testRequired(here, "dependentRequired", entry.names) : null,
      );
    case "dependent_schemas":
      spend(8 * test.entries.length);
      return firstFailure(test.entries, ({ name, node }) =>
        Object.hasOwn(value, name) ? evaluate(run, node, here) : null,
      );
    default:
      return unreachable(test);
  }
}

function testContains(run: Run, test: ListTest & { kind: "contains" }, here: Here, value: readonly Json[]) {
  const count = value.filter((item, index) => evaluate(run, test.node, below(here, index, item)) === null).length;
  if (count < test.min) return fail(here, "contains", () => `at least ${test.min} items of the required kind`);
  if (test.max === null || count <= test.max) return null;
  return fail(here, "maxContains", () => `at most ${test.max} items of the required kind`);
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
      return testCount(test, here, { difference: value.length - test.count, of: "items" });
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
  // If only one alternative is for this type of value, its own failure says more.
  const [near, ...others] = failures.filter((failure) => failure.keyword !== "type" || failure.here !== here);
  if (near !== undefined && others.length === 0) return near;
  return fail(here, "anyOf", () => joined(failures, (failure) => failure.required(), ", or "));
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
      return isJsonList(value) ? testList(run, test, here, value) : null;
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
  spend(4);
  if (node === true) return null;
  if (node === false) return fail(here, "false", () => "no value at all");
  run.nesting++;
  run.stepsLeft--;
  spend(8 + 4 * node.length);
  if (run.nesting > MAX_NESTING || run.stepsLeft < 0) throw new TooMuch();
  let failure: Failure | null = null;
  for (const test of node) {
    failure = testValue(run, test, here);
    if (failure !== null) break;
  }
  run.nesting--;
  return failure;
}

/** How many values a value holds, itself included; infinite if it has more levels than given. */
function sizeOf(value: Json, levels: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  // If the budget is used up, the list of values must not be built either.
  spend(1);
  const children = isJsonObject(value) ? Object.values(value) : value;
  spend(isJsonObject(value) ? listingCost(children.length) : 4 * children.length);
  let size = 1;
  for (const child of children) size += typeof child === "object" ? sizeOf(child, levels - 1) : 1;
  return size;
}

/** Judges a value by a compiled schema; returns the first failure, or null. */
export function checkSchema(schema: CompiledSchema, value: Json): SchemaFailure | null {
  const unjudged = (required: string): SchemaFailure => ({ path: "$", keyword: "limits", required, found: null });
  const size = sizeOf(value, MAX_VALUE_DEPTH);
  if (size === Number.POSITIVE_INFINITY) return unjudged(`a value at most ${MAX_VALUE_DEPTH} levels deep`);
  const run: Run = { defs: schema.defs, nesting: 0, stepsLeft: FREE_STEPS + STEPS_PER_VALUE * size };
  try {
    const failure = evaluate(run, schema.root, { value, parent: null, step: "" });
    if (failure === null) return null;
    const { here, keyword, required } = failure;
    return { path: pathOf(here), keyword, required: cut(required()), found: here.value };
  } catch (cause) {
    if (cause instanceof TooMuch) return unjudged("a value that the schema can judge in bounded time and depth");
    throw cause;
  }
}
