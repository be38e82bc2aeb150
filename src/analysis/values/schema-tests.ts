import type { SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import { matchPattern } from "../../guard/values/match-pattern.js";
import { cut, first, most } from "../model/caps.js";

/** One walk over a schema: its definitions, and how many tests may still be read. */
export interface Walk {
  readonly defs: readonly SchemaNode[];
  left: number;
}

/** A walk over a schema with these definitions. */
export function newWalk(defs: readonly SchemaNode[]): Walk {
  return { defs, left: most("schema_tests") };
}

/** Which of several alternatives a walk takes. */
export type Choose = (alternatives: readonly (readonly SchemaNode[])[]) => readonly (readonly SchemaNode[])[];

/** The alternatives of which a test takes one; each is a list of nodes that all apply to the same value. */
function alternativesOf(test: SchemaTest, { defs }: Walk): readonly (readonly SchemaNode[])[] | null {
  switch (test.kind) {
    case "all_of":
      return [test.nodes];
    case "any_of":
    case "one_of":
      return test.nodes.map((node) => [node]);
    case "if_then_else":
      return [[test.condition, test.consequent], [test.alternative]];
    case "ref":
      return [[defs[test.def] ?? true]];
    default:
      return null;
  }
}

/** The tests of a node on the value itself, with combined ones resolved. */
export function testsOf(node: SchemaNode, walk: Walk, choose: Choose): readonly SchemaTest[] {
  if (typeof node === "boolean") return [];
  const found: SchemaTest[] = [];
  for (const test of node) {
    walk.left -= 1;
    if (walk.left < 0) {
      cut("schema_tests");
      break;
    }
    const alternatives = alternativesOf(test, walk);
    if (alternatives === null) found.push(test);
    else for (const inner of choose(alternatives).flat()) found.push(...testsOf(inner, walk, choose));
  }
  return found;
}

function matches(pattern: Parameters<typeof matchPattern>[0], name: string): boolean {
  try {
    return matchPattern(pattern, name) === true;
  } catch (cause) {
    if (cause instanceof Error) return false;
    throw cause;
  }
}

function propertyNodes(test: SchemaTest, name: string): readonly SchemaNode[] {
  switch (test.kind) {
    case "properties":
      return test.entries.filter((entry) => entry.name === name).map(({ node }) => node);
    case "pattern_properties":
      return test.entries.filter(({ pattern }) => matches(pattern, name)).map(({ node }) => node);
    case "additional_properties":
      return test.names.includes(name) || test.patterns.some((pattern) => matches(pattern, name)) ? [] : [test.node];
    default:
      return [];
  }
}

function itemNodes(test: SchemaTest, index: number): readonly SchemaNode[] {
  switch (test.kind) {
    case "items":
      return index >= test.from ? [test.node] : [];
    case "prefix_items":
      return test.nodes.slice(index, index + 1);
    case "contains":
      return index < test.min ? [test.node] : [];
    default:
      return [];
  }
}

/** The nodes that tests apply to the value under a key or index. */
export function nodesBelow(tests: readonly SchemaTest[], step: string | number): readonly SchemaNode[] {
  return tests.flatMap((test) =>
    typeof step === "string" ? propertyNodes(test, step) : itemNodes(test, Math.max(step, 0)),
  );
}

/** The property names in tests. */
export function namesIn(tests: readonly SchemaTest[]): readonly string[] {
  const names = tests.flatMap((test): readonly string[] => {
    switch (test.kind) {
      case "properties":
      case "dependent_schemas":
        return test.entries.map(({ name }) => name);
      case "required":
      case "additional_properties":
        return test.names;
      case "dependent_required":
        return test.entries.flatMap((entry) => [entry.name, ...entry.names]);
      default:
        return [];
    }
  });
  return [...new Set(first(names, "schema_tests"))];
}
