import { isJsonObject, type Json, type JsonObject } from "../../../../src/base/json.js";

/** Gives numbers in [0, 1), the same ones for the same seed. */
export type Random = () => number;

/** A small generator (mulberry32), so that a failing value can be made again. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const POOL: readonly Json[] = [
  null,
  true,
  "",
  "a",
  "ab",
  "abc",
  "😀",
  "12",
  -1,
  0,
  0.5,
  1,
  2,
  3,
  6,
  [],
  [1],
  {},
  { a: 1 },
];

function pick<T>(random: Random, items: readonly T[], otherwise: T): T {
  return items[Math.floor(random() * items.length)] ?? otherwise;
}

function listed(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function objectFor(root: JsonObject, schema: JsonObject, random: Random, depth: number): Json {
  const made: Record<string, Json> = {};
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = listed(schema.required);
  for (const [name, property] of Object.entries(properties)) {
    if (random() < (required.includes(name) ? 0.97 : 0.6)) made[name] = valueFor(root, property, random, depth - 1);
  }
  for (const name of required) {
    if (typeof name === "string" && !Object.hasOwn(made, name) && random() < 0.9) made[name] = pick(random, POOL, null);
  }
  if (random() < 0.2) made[pick(random, ["a", "b", "c", "zz"], "a")] = pick(random, POOL, null);
  return made;
}

function listFor(root: JsonObject, schema: JsonObject, random: Random, depth: number): Json {
  const prefix = listed(schema.prefixItems);
  const length = Math.floor(random() * 4);
  return Array.from({ length }, (_, index) => valueFor(root, prefix[index] ?? schema.items ?? true, random, depth - 1));
}

function numberFor(schema: JsonObject, random: Random): number {
  const bounds = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum, schema.multipleOf];
  const near = bounds.filter((bound) => typeof bound === "number");
  return pick(random, near, 1) + pick(random, [-1, -0.5, 0, 0, 0.5, 1, 2], 0);
}

/** A value that has a fair chance to be valid, and a fair chance to miss by a little. */
export function valueFor(root: JsonObject, schema: Json, random: Random, depth = 6): Json {
  if (!isJsonObject(schema) || depth <= 0 || random() < 0.06) return pick(random, POOL, null);
  if (typeof schema.$ref === "string") {
    const definitions = isJsonObject(root.$defs) ? root.$defs : {};
    return valueFor(root, schema.$ref === "#" ? root : (definitions[schema.$ref.slice(8)] ?? true), random, depth - 1);
  }
  if (random() < 0.9 && schema.const !== undefined) return schema.const;
  if (random() < 0.9 && schema.enum !== undefined) return pick(random, listed(schema.enum), null);
  const parts = [...listed(schema.allOf), ...listed(schema.anyOf), ...listed(schema.oneOf)];
  if (parts.length > 0 && random() < 0.4) return valueFor(root, pick(random, parts, true), random, depth - 1);
  switch (pick(random, listed(schema.type), "object")) {
    case "string":
      return pick(random, ["", "a", "ab", "abc", "b", "😀", "😀😀", "12"], "");
    case "number":
    case "integer":
      return numberFor(schema, random);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array":
      return listFor(root, schema, random, depth);
    default:
      return objectFor(root, schema, random, depth);
  }
}
