import type { CompiledSchema, NamedNode, SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { TypeName } from "../../base/json.js";
import { movedBound } from "../../base/moved-bound.js";

/** A weaker form of a part of a schema, and what was changed in words. */
interface Weaker<T> {
  readonly what: string;
  /** Null: the part is left out. */
  readonly next: T | null;
  readonly lost?: LostDemand;
}

/** All that is not demanded any more: that an argument is given, and perhaps that it is of a type. */
export interface LostDemand {
  /** Null for the value that a node is about. */
  readonly name: string | null;
  readonly type: TypeName | null;
}

type TestOf<K extends SchemaTest["kind"]> = SchemaTest & { readonly kind: K };
type Weakenings<T> = readonly Weaker<T>[];

function dropped(test: SchemaTest): Weakenings<SchemaTest> {
  return [{ what: `without \`${test.kind}\``, next: null }];
}

function bounded(by: 1 | -1) {
  return (
    test: SchemaTest & {
      readonly value: number;
      readonly kind: "minimum" | "maximum" | "exclusive_minimum" | "exclusive_maximum";
    },
  ): Weakenings<SchemaTest> => [
    ...dropped(test),
    { what: `\`${test.kind}\` moved by one`, next: { ...test, value: movedBound(test.value, by) } },
  ];
}

function counted<T extends SchemaTest & { readonly count: number }>(by: 1 | -1) {
  return (test: T): Weakenings<SchemaTest> => {
    const count = test.count + by;
    const moved = count < 0 ? [] : [{ what: `\`${test.kind}\` moved by one`, next: { ...test, count } }];
    return [...dropped(test), ...moved];
  };
}

/** A list with one item in a weaker form. */
function inList<I, T>(
  items: readonly I[],
  weaken: (item: I) => Weakenings<I>,
  build: (items: readonly I[]) => T,
): Weakenings<T> {
  return items.flatMap((item, at) =>
    weaken(item).map(({ what, next, lost }) => ({
      ...(lost === undefined ? {} : { lost }),
      what,
      next: build(items.flatMap((each, index) => (index !== at ? [each] : next === null ? [] : [next]))),
    })),
  );
}

/** What combines other nodes is left out as a whole: weaker parts may make the whole stronger, and rarely help anybody. */
const WEAKER: { readonly [K in SchemaTest["kind"]]: (test: TestOf<K>) => Weakenings<SchemaTest> } = {
  type: (test) => {
    const [type, ...others] = test.types;
    const isOne = type !== undefined && others.length === 0;
    return dropped(test).map((each) => (isOne ? { ...each, lost: { name: null, type } } : each));
  },
  enum: dropped,
  const: dropped,
  minimum: bounded(-1),
  maximum: bounded(1),
  exclusive_minimum: bounded(-1),
  exclusive_maximum: bounded(1),
  multiple_of: dropped,
  pattern: dropped,
  min_length: counted(-1),
  max_length: counted(1),
  properties: (test) => inList(test.entries, inProperty, (entries): SchemaTest => ({ ...test, entries })),
  required: (test) =>
    inList(
      test.names,
      (name) => [{ what: `\`${name}\` is not required`, next: null, lost: { name, type: null } }],
      (names): SchemaTest => ({ ...test, names }),
    ),
  additional_properties: dropped,
  pattern_properties: dropped,
  property_names: dropped,
  min_properties: counted(-1),
  max_properties: counted(1),
  dependent_required: dropped,
  dependent_schemas: dropped,
  items: (test) => [
    ...dropped(test),
    ...weakerNodes(test.node).map(({ what, next }) => ({ what: `items: ${what}`, next: { ...test, node: next } })),
  ],
  prefix_items: dropped,
  contains: dropped,
  min_items: counted(-1),
  max_items: counted(1),
  unique_items: dropped,
  all_of: dropped,
  any_of: dropped,
  one_of: dropped,
  not: dropped,
  if_then_else: dropped,
  ref: dropped,
};

/** Keeps the test and its own entry of the table together. */
function weakerTests<K extends SchemaTest["kind"]>(test: TestOf<K>): Weakenings<SchemaTest> {
  const entry: (of: TestOf<K>) => Weakenings<SchemaTest> = WEAKER[test.kind];
  return entry(test);
}

interface WeakerNode<T> {
  readonly what: string;
  readonly next: T;
  readonly lost?: LostDemand;
}

/** A node that is left out allows everything. */
function weakerNodes(node: SchemaNode): readonly WeakerNode<SchemaNode>[] {
  if (node === true) return [];
  if (node === false) return [{ what: "anything is allowed", next: true }];
  return inList(node, weakerTests, (tests): SchemaNode => tests).map((each) => ({ ...each, next: each.next ?? true }));
}

/** Nodes of a property, of which only what is lost of its own value is known by name. */
function inProperty({ name, node }: NamedNode): Weakenings<NamedNode> {
  return weakerNodes(node).map(({ what, next, lost }) => ({
    what: `\`${name}\`: ${what}`,
    next: { name, node: next },
    ...(lost?.name === null ? { lost: { ...lost, name } } : {}),
  }));
}

/** The schema with one keyword weaker or left out; the type of arguments is always an object. */
export function weakerSchemas({ root, defs }: CompiledSchema): readonly WeakerNode<CompiledSchema>[] {
  return weakerNodes(root)
    .filter(({ what }) => what !== "without `type`")
    .map((each) => ({ ...each, next: { root: each.next, defs } }));
}
