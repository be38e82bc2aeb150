import type { Json, JsonObject } from "../../../../src/base/json.js";
import { fc } from "../../../support/fast-check.js";

// No `constructor`: ajv compares objects that have such a key wrongly. The tables have it.
const NAMES = ["a", "b", "c", "d-e"] as const;
const STRINGS = ["", "a", "ab", "abc", "b", "😀", "😀😀", "12", "constructor"] as const;
const NUMBERS = [-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 6] as const;
const PATTERNS = ["^a", "b$", "^[a-c]*$", "[0-9]+", "^.$", "(a|b)+c?"] as const;
const SIMPLE_TYPES = ["string", "number", "integer", "boolean", "null"] as const;
const TYPES = [...SIMPLE_TYPES, "object", "array"] as const;

const name = fc.constantFrom(...NAMES);
const count = fc.nat(3);

/** Small values over the same few names, strings and numbers as the schemas. */
export const anyValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, ...STRINGS, ...NUMBERS),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** What a generated schema may hold. */
export interface SchemaOptions {
  readonly refs: number;
  /** Whether one `type` may list both array and object. */
  readonly mixed: boolean;
}

type Keywords = Record<string, fc.Arbitrary<Json>>;

/** Few keywords at a time, or hardly any value would be valid. */
function some(keywords: Keywords): fc.Arbitrary<JsonObject> {
  return fc.subarray(Object.entries(keywords), { maxLength: 4 }).chain((chosen) => {
    return fc.record<Record<string, Json>>(Object.fromEntries(chosen), { noNullPrototype: true });
  });
}

const LEAF_KEYWORDS: Keywords = {
  minimum: fc.constantFrom(...NUMBERS),
  maximum: fc.constantFrom(...NUMBERS),
  exclusiveMinimum: fc.constantFrom(...NUMBERS),
  exclusiveMaximum: fc.constantFrom(...NUMBERS),
  multipleOf: fc.constantFrom(0.5, 1, 2, 3),
  pattern: fc.constantFrom(...PATTERNS),
  minLength: count,
  maxLength: count,
  enum: fc.array(anyValue, { minLength: 1, maxLength: 4 }),
  const: anyValue,
};

const SIZE_KEYWORDS: Keywords = {
  required: fc.uniqueArray(name, { maxLength: 2 }),
  minProperties: count,
  maxProperties: count,
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
};

const type = fc.oneof(
  fc.constantFrom(...TYPES),
  fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }),
);

function refTo(options: SchemaOptions, from: number): readonly fc.Arbitrary<Json>[] {
  if (options.refs === 0) return [];
  const targets = Array.from({ length: options.refs }, (_, index) => `#/$defs/d${index}`).slice(from);
  return [fc.constantFrom("#", ...targets).map((ref) => ({ $ref: ref }))];
}

/** The context of a schema: how deep it may still go, and from which definition on a ref makes no loop. */
interface Spot {
  readonly depth: number;
  readonly from: number;
}

function mapOf(schema: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true });
}

/** A schema at a place that is reached under conditions: any keywords, with or without types. */
function freeSchema(options: SchemaOptions, { depth, from }: Spot): fc.Arbitrary<Json> {
  if (depth <= 0) return fc.oneof(fc.boolean(), some({ ...LEAF_KEYWORDS, type }));
  const same = freeSchema(options, { depth: depth - 1, from });
  const below = freeSchema(options, { depth: depth - 1, from: 0 });
  const several = fc.array(same, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 1, arbitrary: fc.boolean() },
    ...refTo(options, from).map((arbitrary) => ({ weight: 1, arbitrary })),
    {
      weight: 6,
      arbitrary: some({
        ...LEAF_KEYWORDS,
        ...SIZE_KEYWORDS,
        ...conditional(same, below),
        type,
        properties: mapOf(below),
        items: below,
        prefixItems: fc.array(below, { minLength: 1, maxLength: 2 }),
        allOf: several,
      }),
    },
  );
}

function conditional(same: fc.Arbitrary<Json>, below: fc.Arbitrary<Json>): Keywords {
  const several = fc.array(same, { minLength: 1, maxLength: 3 });
  return {
    anyOf: several,
    oneOf: several,
    not: same,
    if: same,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: same,
    else: same,
    contains: below,
    minContains: count,
    maxContains: count,
    additionalProperties: below,
    patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), below, { maxKeys: 2, noNullPrototype: true }),
    propertyNames: same,
    dependentSchemas: mapOf(same),
  };
}

function declaredType({ mixed }: SchemaOptions): fc.Arbitrary<Json> {
  const simple = fc.uniqueArray(fc.constantFrom(...SIMPLE_TYPES), { maxLength: 2 });
  const complex = mixed ? [["object"], ["array"], ["object", "array"], []] : [["object"], ["array"], []];
  return fc
    .tuple(simple, fc.constantFrom<readonly string[]>(...complex))
    .map(([some, more]) => [...some, ...more])
    .filter((types) => types.length > 0)
    .map((types) => (types.length === 1 ? (types[0] ?? null) : types));
}

/** A schema at a place that every value goes through; it declares its type, where fail-closed and JSON Schema agree. */
function placedSchema(options: SchemaOptions, { depth, from }: Spot): fc.Arbitrary<Json> {
  const spot = { depth: depth - 1, from };
  const own: Keywords = { ...LEAF_KEYWORDS };
  if (depth > 0) {
    const below = placedSchema(options, { depth: depth - 1, from: 0 });
    const free = freeSchema(options, { depth: Math.min(depth - 1, 1), from: 0 });
    Object.assign(own, SIZE_KEYWORDS, conditional(freeSchema(options, { depth: Math.min(depth - 1, 1), from }), free), {
      properties: mapOf(below),
      items: below,
      prefixItems: fc.array(below, { minLength: 1, maxLength: 2 }),
      allOf: fc.array(placedSchema(options, spot), { minLength: 1, maxLength: 2 }),
    });
  }
  const declared = fc.tuple(declaredType(options), some(own)).map(([types, rest]) => ({ type: types, ...rest }));
  return fc.oneof(
    { weight: 8, arbitrary: declared },
    ...refTo(options, from).map((arbitrary) => ({ weight: 2, arbitrary })),
  );
}

/** A whole schema for an object of arguments, with definitions that may refer to each other and back. */
export function rootSchema(options: SchemaOptions): fc.Arbitrary<JsonObject> {
  const properties = fc.dictionary(name, placedSchema(options, { depth: 2, from: 0 }), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  });
  const definitions = Array.from({ length: options.refs }, (_, index) =>
    placedSchema(options, { depth: 2, from: index + 1 }),
  );
  return fc
    .tuple(properties, some({ ...SIZE_KEYWORDS, ...LEAF_KEYWORDS }), fc.tuple(...definitions))
    .map(([props, rest, defs]) => ({
      ...rest,
      type: "object",
      properties: props,
      $defs: Object.fromEntries(defs.map((schema, index) => [`d${index}`, schema])),
    }));
}
