import type { SchemaNode, SchemaTest } from "../../../artifact/compiled-schema.js";
import { unreachable } from "../../../base/invariant.js";
import { isWithin } from "./strength.js";

export type TestKind = SchemaTest["kind"];
export type TestOf<K extends TestKind> = Extract<SchemaTest, { readonly kind: K }>;

/** How nodes of a new and of an old schema are compared. */
export interface Relation {
  /** Whether every value that fits the new node fits the old one. */
  readonly holds: (now: SchemaNode, then: SchemaNode) => boolean;
  readonly isSame: (now: SchemaNode, then: SchemaNode) => boolean;
}

/** The only type that a keyword tests, of those that look into a value; values of other types pass it. */
export const TESTED: { readonly [K in TestKind]: "object" | "array" | null } = {
  type: null,
  enum: null,
  const: null,
  minimum: null,
  maximum: null,
  exclusive_minimum: null,
  exclusive_maximum: null,
  multiple_of: null,
  pattern: null,
  min_length: null,
  max_length: null,
  properties: "object",
  required: "object",
  additional_properties: "object",
  pattern_properties: "object",
  property_names: "object",
  min_properties: "object",
  max_properties: "object",
  dependent_required: "object",
  dependent_schemas: "object",
  items: "array",
  prefix_items: "array",
  contains: "array",
  min_items: "array",
  max_items: "array",
  unique_items: "array",
  all_of: null,
  any_of: null,
  one_of: null,
  not: null,
  if_then_else: null,
  ref: null,
};

/** A filter for tests of a kind. */
export function isOfKind<K extends TestKind>(kind: K): (test: SchemaTest) => test is TestOf<K> {
  return (test): test is TestOf<K> => test.kind === kind;
}

/** Compares tests of list items. */
export function isListKept(
  relation: Relation,
  now: readonly SchemaTest[],
  then: TestOf<"items" | "prefix_items" | "contains">,
): boolean {
  const { holds } = relation;
  switch (then.kind) {
    case "items":
      return (
        holds(true, then.node) ||
        now.some((test) => test.kind === "items" && test.from <= then.from && holds(test.node, then.node))
      );
    case "prefix_items":
      return then.nodes.every((node, at) => [true, ...itemNodes(now, at)].some((each) => holds(each, node)));
    case "contains":
      return now.filter(isOfKind("contains")).some((test) => isContained(relation, test, then));
    default:
      return unreachable(then);
  }
}

function isContained({ holds, isSame }: Relation, now: TestOf<"contains">, then: TestOf<"contains">): boolean {
  const isEnough = then.min === 0 || (now.min >= then.min && holds(now.node, then.node));
  const isFewEnough = then.max === null || (now.max !== null && now.max <= then.max && isSame(now.node, then.node));
  return isEnough && isFewEnough;
}

/** What the new tests require of the item at an index. */
function itemNodes(now: readonly SchemaTest[], at: number): readonly SchemaNode[] {
  return now.flatMap((test): readonly SchemaNode[] => {
    if (test.kind === "items") return test.from <= at ? [test.node] : [];
    return test.kind === "prefix_items" ? test.nodes.slice(at, at + 1) : [];
  });
}

/** What the new tests require of a property. */
function propertyNodes(now: readonly SchemaTest[], name: string): readonly SchemaNode[] {
  return now.flatMap((test): readonly SchemaNode[] => {
    if (test.kind === "properties") {
      return test.entries.filter((entry) => entry.name === name).map(({ node }) => node);
    }
    const isAdditional =
      test.kind === "additional_properties" && !test.names.includes(name) && test.patterns.length === 0;
    return isAdditional ? [test.node] : [];
  });
}

/** Whether no object with a property fits. */
export function isClosedTo(now: readonly SchemaTest[], name: string): boolean {
  return propertyNodes(now, name).includes(false);
}

/** Compares tests of object properties. */
export function isObjectKept(
  relation: Relation,
  now: readonly SchemaTest[],
  then: TestOf<
    | "properties"
    | "required"
    | "additional_properties"
    | "pattern_properties"
    | "property_names"
    | "dependent_required"
    | "dependent_schemas"
  >,
): boolean {
  const { holds } = relation;
  const required = now.filter(isOfKind("required")).flatMap(({ names }) => names);
  switch (then.kind) {
    case "properties":
      return then.entries.every(({ name, node }) =>
        [true, ...propertyNodes(now, name)].some((each) => holds(each, node)),
      );
    case "required":
      return isWithin(then.names, required);
    case "additional_properties":
      return now.filter(isOfKind("additional_properties")).some((test) => isRestKept(relation, now, test, then));
    case "pattern_properties":
      return then.entries.every(({ pattern, node }) =>
        now
          .filter(isOfKind("pattern_properties"))
          .flatMap(({ entries }) => entries)
          .some((entry) => entry.pattern.source === pattern.source && holds(entry.node, node)),
      );
    case "property_names":
      return now.some((test) => test.kind === "property_names" && holds(test.node, then.node));
    case "dependent_required":
      return then.entries.every(({ name, names }) => {
        const own = now.filter(isOfKind("dependent_required")).flatMap(({ entries }) => entries);
        return isWithin(names, [...required, ...own.filter((entry) => entry.name === name).flatMap((e) => e.names)]);
      });
    case "dependent_schemas":
      return then.entries.every(({ name, node }) =>
        now
          .filter(isOfKind("dependent_schemas"))
          .flatMap(({ entries }) => entries)
          .some((entry) => entry.name === name && holds(entry.node, node)),
      );
    default:
      return unreachable(then);
  }
}

function sourcesOf({ patterns }: TestOf<"additional_properties">): readonly string[] {
  return patterns.map(({ source }) => source);
}

/** Whether properties that were additional still are, or are restricted no less by name. */
function isRestKept(
  { holds }: Relation,
  now: readonly SchemaTest[],
  test: TestOf<"additional_properties">,
  then: TestOf<"additional_properties">,
): boolean {
  const named = test.names.filter((name) => !then.names.includes(name));
  return (
    isWithin(sourcesOf(test), sourcesOf(then)) &&
    holds(test.node, then.node) &&
    named.every((name) => propertyNodes(now, name).some((node) => holds(node, then.node)))
  );
}
