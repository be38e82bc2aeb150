import type { CompiledSchema, SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import { isJsonList, isJsonObject, type Json, type TypeName, typeOf } from "../../base/json.js";
import { VALUE_KINDS, type ValueKind } from "./value-kind.js";

/** What is known of values: their kinds, and of the members and items inside them. */
export interface Shape {
  readonly kinds: ReadonlySet<ValueKind>;
  /** The member of a map, as far as one is there. */
  readonly member: (name: string) => Member;
  /** Any member of a map. */
  readonly entries: () => Shape;
  /** Every item of a list. */
  readonly items: () => Shape;
}

/** A member of a map. */
export interface Member {
  readonly presence: "always" | "maybe" | "never";
  readonly shape: Shape;
}

/** What JSON can hold. */
const JSON_KINDS: ReadonlySet<ValueKind> = new Set(["null", "boolean", "number", "string", "list", "map"]);

/** Any JSON value. */
export const ANYTHING: Shape = {
  kinds: JSON_KINDS,
  member: () => SOMETHING,
  entries: () => ANYTHING,
  items: () => ANYTHING,
};
const SOMETHING: Member = { presence: "maybe", shape: ANYTHING };

/** Values of certain kinds, of which nothing else is known. */
export function ofKinds(...kinds: readonly ValueKind[]): Shape {
  return { ...ANYTHING, kinds: new Set(kinds) };
}

/** A list of values of a shape. */
export function listOf(items: Shape): Shape {
  return { ...ANYTHING, kinds: new Set(["list"]), items: () => items };
}

/** A map that an expression builds of values of a shape, under keys that are not looked at: times may be among them. */
export function mapOf(values: Shape): Shape {
  return {
    ...ANYTHING,
    kinds: new Set(["map"]),
    member: () => ({ presence: "maybe", shape: values }),
    entries: () => values,
  };
}

function kindOf(type: TypeName): ValueKind {
  if (type === "integer") return "number";
  return type === "array" ? "list" : type === "object" ? "map" : type;
}

/** One value that is known. */
export function shapeOfValue(value: Json): Shape {
  return {
    kinds: new Set([kindOf(typeOf(value))]),
    member: (name) =>
      isJsonObject(value) && Object.hasOwn(value, name)
        ? { presence: "always", shape: shapeOfValue(value[name] ?? null) }
        : { presence: "never", shape: ANYTHING },
    entries: () => ANYTHING,
    items: () => (isJsonList(value) ? eitherOf(value.map(shapeOfValue)) : ANYTHING),
  };
}

/** A value of one of several shapes. */
export function eitherOf(shapes: readonly Shape[]): Shape {
  const [only, ...others] = [...new Set(shapes)];
  if (only !== undefined && others.length === 0) return only;
  const having = (kind: ValueKind) => shapes.filter(({ kinds }) => kinds.has(kind));
  // Asked for once: of shapes that are made of each other there may be very many.
  const entries = once(() => eitherOf(having("map").map((each) => each.entries())));
  const items = once(() => eitherOf(having("list").map((each) => each.items())));
  return {
    kinds: new Set(VALUE_KINDS.filter((kind) => having(kind).length > 0)),
    member: () => ({ presence: "maybe", shape: entries() }),
    entries,
    items,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** How far refs are followed: a schema may lead back to itself. */
const MOST_REFS = 8;

/** The tests that every accepted value passes, `all_of` and refs included; null where no value is accepted. */
function testsOf(
  { defs }: CompiledSchema,
  node: SchemaNode | undefined,
  refs = MOST_REFS,
): readonly SchemaTest[] | null {
  if (node === false) return null;
  if (node === true || node === undefined) return [];
  const found: SchemaTest[] = [];
  for (const test of node) {
    found.push(test);
    const inner = test.kind === "all_of" ? test.nodes : test.kind === "ref" && refs > 0 ? [defs[test.def] ?? true] : [];
    for (const each of inner) {
      const tests = testsOf({ root: true, defs }, each, refs - 1);
      if (tests === null) return null;
      found.push(...tests);
    }
  }
  return found;
}

function kindsOf(test: SchemaTest): readonly ValueKind[] | null {
  if (test.kind === "type") return test.types.map(kindOf);
  if (test.kind === "enum") return test.values.map((value) => kindOf(typeOf(value)));
  return test.kind === "const" ? [kindOf(typeOf(test.value))] : null;
}

/** Whether the schema refuses every value that has the member. */
function isExcluded(test: SchemaTest, name: string): boolean {
  if (test.kind === "properties") return test.entries.some((entry) => entry.name === name && entry.node === false);
  return (
    test.kind === "additional_properties" &&
    test.node === false &&
    test.patterns.length === 0 &&
    !test.names.includes(name)
  );
}

/** What the arguments that a schema accepts have in common: they are a map in any case. */
export function shapeOfArguments(schema: CompiledSchema): Shape {
  const tests: readonly SchemaTest[] = [{ kind: "type", types: ["object"] }];
  const { root } = schema;
  return shapeOfNode(schema, typeof root === "boolean" ? tests : [...tests, ...root]);
}

function shapeOfNode(schema: CompiledSchema, node: SchemaNode): Shape {
  const tests = testsOf(schema, node) ?? [];
  const kinds = new Set([...JSON_KINDS].filter((kind) => tests.every((test) => kindsOf(test)?.includes(kind) ?? true)));
  const isMap = kinds.size === 1 && kinds.has("map");
  const inner = (name: string) =>
    tests.flatMap((test) => (test.kind === "properties" ? test.entries.filter((entry) => entry.name === name) : []));
  return {
    kinds,
    member(name) {
      if (tests.some((test) => isExcluded(test, name))) return { presence: "never", shape: ANYTHING };
      const isRequired = tests.some((test) => test.kind === "required" && test.names.includes(name));
      const node = inner(name).flatMap((entry) => (typeof entry.node === "boolean" ? [] : entry.node));
      return { presence: isMap && isRequired ? "always" : "maybe", shape: shapeOfNode(schema, node) };
    },
    entries: () => ANYTHING,
    items() {
      const nodes = tests.flatMap((test) => (test.kind === "items" && test.from === 0 ? [test.node] : []));
      return shapeOfNode(
        schema,
        nodes.flatMap((each) => (typeof each === "boolean" ? [] : each)),
      );
    },
  };
}
