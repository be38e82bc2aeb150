import type { CompiledSchema, SchemaTest } from "../../artifact/compiled-schema.js";
import type { Json } from "../../base/json.js";
import { type JsonPath, jsonPath, type Segment } from "../../base/json-path.js";
import { checkSchema } from "../../guard/program/schema-check.js";
import { first, isBeyond, remembered } from "../model/caps.js";
import { drawValues } from "./draw-schema.js";
import { type Choose, namesIn, newWalk, nodesBelow, testsOf } from "./schema-tests.js";
import { distinct, isModest } from "./value-list.js";

function passes(schema: CompiledSchema, value: Json): boolean {
  try {
    return checkSchema(schema, value) === null;
  } catch (cause) {
    if (cause instanceof Error) return false;
    throw cause;
  }
}

const known = new WeakMap<CompiledSchema, Map<string, () => readonly Json[]>>();

/** Cached, because the same place of a schema is needed often. */
function valuesOnce(schema: CompiledSchema, place: string, make: () => readonly Json[]): readonly Json[] {
  const places = known.get(schema) ?? new Map<string, () => readonly Json[]>();
  known.set(schema, places);
  const values = places.get(place) ?? remembered(make);
  places.set(place, values);
  return values();
}

/** Values that a schema accepts, plainest first; if none were found, values close to it. */
export function schemaValues(schema: CompiledSchema): readonly Json[] {
  return valuesOnce(schema, "", () => findValues(schema));
}

function findValues(schema: CompiledSchema): readonly Json[] {
  const accepted: Json[] = [];
  const near: Json[] = [];
  for (const value of drawValues(schema)) {
    if (isBeyond(accepted.length + 1, "schema_samples")) break;
    if (!isModest(value)) continue;
    (passes(schema, value) ? accepted : near).push(value);
  }
  return accepted.length > 0 ? distinct(accepted) : distinct(near, "schema_near");
}

/** The tests that a schema applies at a place under any alternatives. */
export function testsAt({ root, defs }: CompiledSchema, steps: readonly (string | number)[]): readonly SchemaTest[] {
  const walk = newWalk(defs);
  const every: Choose = (alternatives) => alternatives;
  let tests = testsOf(root, walk, every);
  for (const step of steps) tests = nodesBelow(tests, step).flatMap((node) => testsOf(node, walk, every));
  return tests;
}

/** For a path to every property of an object: the paths of the properties that the schema names there. */
export function namedPaths(schema: CompiledSchema, path: JsonPath): readonly JsonPath[] {
  if (path.kind === "definite") return [];
  const at = path.segments.findIndex(({ selectors: [first] }) => first?.kind !== "name");
  const { descend = true, selectors: [wildcard] = [] } = path.segments[at] ?? {};
  if (descend || wildcard?.kind !== "wildcard") return [];
  const before = path.segments.slice(0, at);
  const steps = before.flatMap(({ selectors: [first] }) => (first?.kind === "name" ? [first.name] : []));
  return first(namesIn(testsAt(schema, steps)), "schema_names").map((name) =>
    jsonPath([...before, nameSegment(name), ...path.segments.slice(at + 1)]),
  );
}

function nameSegment(name: string): Segment {
  return { descend: false, selectors: [{ kind: "name", name }] };
}

/** Sample values at a place of a value that a schema describes. */
export function schemaValuesAt(schema: CompiledSchema, steps: readonly (string | number)[]): readonly Json[] {
  return valuesOnce(schema, JSON.stringify(steps), () => {
    const tests = testsAt(schema, steps);
    return tests.length === 0 ? [] : findValues({ root: tests, defs: schema.defs });
  });
}
