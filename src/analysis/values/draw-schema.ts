import type { CompiledSchema, SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json, TypeName } from "../../base/json.js";
import { first, isBeyond, most } from "../model/caps.js";
import { candidateValues, judgeBy, PLAIN_VALUES } from "./operator-values.js";
import { type Choose, namesIn, newWalk, nodesBelow, testsOf, type Walk } from "./schema-tests.js";
import { distinct } from "./value-list.js";

const NO_ENVIRONMENT = new Map<string, string>();

/** How one sample is drawn from a schema. */
interface Draw extends Walk {
  /** The alternatives to take, in order. */
  choice: number;
  /** Whether optional properties are included. */
  readonly isFull: boolean;
}

function chooser(draw: Draw): Choose {
  return (alternatives) => {
    const chosen = alternatives[draw.choice % Math.max(1, alternatives.length)];
    draw.choice = Math.floor(draw.choice / Math.max(1, alternatives.length));
    return chosen === undefined ? [] : [chosen];
  };
}

/** The operator that is equivalent to a test of numbers or texts. */
function operatorOf(test: SchemaTest): readonly CompiledOperator[] {
  switch (test.kind) {
    case "enum":
      return [{ op: "one_of", values: first(test.values, "schema_listed") }];
    case "const":
      return [{ op: "equals", value: test.value }];
    case "minimum":
      return [{ op: "gte", value: test.value }];
    case "maximum":
      return [{ op: "lte", value: test.value }];
    case "exclusive_minimum":
      return [{ op: "gt", value: test.value }];
    case "exclusive_maximum":
      return [{ op: "lt", value: test.value }];
    case "multiple_of":
      return [{ op: "multiple_of", value: test.value }];
    case "pattern":
      return [{ op: "regex", pattern: test.pattern }];
    case "min_length":
      return [{ op: "length_gte", value: test.count }];
    case "max_length":
      return [{ op: "length_lte", value: test.count }];
    default:
      return [];
  }
}

/** The operators that are equivalent to tests of a single value. */
export function operatorsOf(tests: readonly SchemaTest[]): readonly CompiledOperator[] {
  return tests.flatMap(operatorOf);
}

const OBJECT_TESTS: ReadonlySet<SchemaTest["kind"]> = new Set([
  "properties",
  "required",
  "additional_properties",
  "pattern_properties",
  "property_names",
  "min_properties",
  "max_properties",
  "dependent_required",
  "dependent_schemas",
]);
const LIST_TESTS: ReadonlySet<SchemaTest["kind"]> = new Set([
  "items",
  "prefix_items",
  "contains",
  "min_items",
  "max_items",
  "unique_items",
]);

/** The types that tests require; if they require none, the types that they judge. */
function typesOf(tests: readonly SchemaTest[]): readonly TypeName[] {
  const asked = tests.flatMap((test) => (test.kind === "type" ? [test.types] : []));
  const [first] = asked;
  if (first !== undefined) return first.filter((type) => asked.every((types) => accepts(types, type)));
  if (tests.some(({ kind }) => OBJECT_TESTS.has(kind))) return ["object"];
  return tests.some(({ kind }) => LIST_TESTS.has(kind)) ? ["array"] : [];
}

function accepts(types: readonly TypeName[], type: TypeName): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** The largest number of properties or items in one value. */
function children(count: number): number {
  return isBeyond(count, "schema_children") ? most("schema_children") : count;
}

function countIn(tests: readonly SchemaTest[], kind: "min_items" | "min_properties"): number {
  const counts = tests.flatMap((test) => (test.kind === kind ? [test.count] : []));
  return children(Math.max(0, ...counts));
}

function all(nodes: readonly SchemaNode[]): SchemaNode {
  const [only, ...others] = nodes;
  if (only === undefined) return true;
  return others.length === 0 ? only : [{ kind: "all_of", nodes }];
}

function requiredNames(tests: readonly SchemaTest[]): readonly string[] {
  return first(
    tests.flatMap((test) => (test.kind === "required" ? test.names : [])),
    "schema_children",
  );
}

/** Names, with all names that they require. */
function withDependents(names: readonly string[], tests: readonly SchemaTest[]): readonly string[] {
  const entries = tests.flatMap((test) => (test.kind === "dependent_required" ? test.entries : []));
  const wanted = new Set(names);
  for (const name of wanted)
    for (const entry of entries) if (entry.name === name) for (const n of entry.names) wanted.add(n);
  return first([...wanted], "schema_children");
}

function spareNames(tests: readonly SchemaTest[], draw: Draw): readonly string[] {
  const nodes = tests.flatMap((test) => (test.kind === "property_names" ? [test.node] : []));
  const named = nodes.length === 0 ? [] : leafValues(testsOf(all(nodes), draw, chooser(draw)));
  const texts = named.filter((name) => typeof name === "string");
  return [...texts, ...Array.from({ length: most("schema_children") }, (_, at) => `item${at + 1}`)];
}

function drawObject(tests: readonly SchemaTest[], draw: Draw, depth: number): Json {
  const required = withDependents([...requiredNames(tests), ...(draw.isFull ? namesIn(tests) : [])], tests);
  const least = countIn(tests, "min_properties");
  const more = required.length >= least ? [] : [...namesIn(tests), ...spareNames(tests, draw)];
  const names = [...new Set([...required, ...more])].slice(0, Math.max(required.length, least));
  const dependent = tests.flatMap((test) => (test.kind === "dependent_schemas" ? test.entries : []));
  const extra = dependent.filter(({ name }) => names.includes(name)).map(({ node }) => node);
  const inner = extra.length === 0 ? [] : testsOf(all(extra), draw, chooser(draw));
  const everything = [...tests, ...inner];
  const wanted = [...new Set([...names, ...requiredNames(inner)])];
  return Object.fromEntries(wanted.map((name) => [name, drawNode(all(nodesBelow(everything, name)), draw, depth + 1)]));
}

function drawList(tests: readonly SchemaTest[], draw: Draw, depth: number): Json {
  const contained = tests.flatMap((test) => (test.kind === "contains" ? [test.min] : []));
  const length = children(Math.max(countIn(tests, "min_items"), draw.isFull ? 1 : 0, ...contained));
  const isUnique = tests.some(({ kind }) => kind === "unique_items");
  const items: Json[] = [];
  for (let index = 0; index < length; index++) {
    const node = all(nodesBelow(tests, index));
    if (isUnique) items.push(freshItem(node, items, draw, depth));
    else items.push(drawNode(node, draw, depth + 1));
  }
  return items;
}

/** A scalar that another number makes different. */
function numbered(value: Json, number: number): readonly Json[] {
  if (typeof value === "number") return [value + number];
  return typeof value === "object" && value !== null ? [] : [`${value}${number}`];
}

/** A new item for a list, if one is found. */
function freshItem(node: SchemaNode, items: readonly Json[], draw: Draw, depth: number): Json {
  const first = drawNode(node, draw, depth + 1);
  const leaves = leafValues(testsOf(node, draw, chooser(draw)));
  const options = distinct([...items, first, ...leaves, ...numbered(first, items.length)]);
  return options[distinct(items).length] ?? first;
}

/** Values for tests of neither objects nor lists; those that pass all come first. */
function leafValues(tests: readonly SchemaTest[]): readonly Json[] {
  const types = typesOf(tests);
  const [type] = types;
  const typed: readonly CompiledOperator[] = type === undefined ? [] : [{ op: "type", value: type }];
  const operators = [...typed, ...operatorsOf(tests)];
  const values = candidateValues(operators, NO_ENVIRONMENT);
  return values.filter((value) => judgeBy(operators, value, NO_ENVIRONMENT) === true);
}

function drawNode(node: SchemaNode, draw: Draw, depth: number): Json {
  if (isBeyond(depth, "schema_depth") || draw.left < 0) return "text";
  const tests = testsOf(node, draw, chooser(draw));
  const isListed = tests.some(({ kind }) => kind === "enum" || kind === "const");
  const types = typesOf(tests);
  const type = types[draw.choice % Math.max(1, types.length)];
  if (!isListed && type === "object") return drawObject(tests, draw, depth);
  if (!isListed && type === "array") return drawList(tests, draw, depth);
  const chosen: readonly SchemaTest[] = type === undefined ? [] : [{ kind: "type", types: [type] }];
  const values = leafValues([...tests, ...chosen]);
  return values[draw.choice % Math.max(1, values.length)] ?? PLAIN_VALUES[draw.choice % PLAIN_VALUES.length] ?? null;
}

/** Values drawn from a schema, plainest first; the guard decides whether the schema accepts them. */
export function* drawValues({ root, defs }: CompiledSchema): Generator<Json> {
  for (let choice = 0; choice < most("schema_choices"); choice++) {
    for (const isFull of [false, true]) yield drawNode(root, { ...newWalk(defs), choice, isFull }, 0);
  }
  yield* PLAIN_VALUES;
}
