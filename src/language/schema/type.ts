import type { JsonSchema } from "../../base/json-schema.js";

/**
 * Builders of the schemas of the language. Each gives plain JSON Schema, which editors and the compiler read, and carries
 * the type of the values that it allows, so that a file kind is written down once.
 */

declare const value: unique symbol;
const isOptional: unique symbol = Symbol("optional");

/** A JSON Schema whose values are of a type; the type exists for the TypeScript compiler only. */
export interface Typed<T> extends JsonSchema {
  readonly [value]?: T;
}

export interface Optional {
  readonly [isOptional]: true;
}

/** Any schema made here. */
export type TSchema = Typed<unknown>;

/** The type of the values that a schema allows. */
export type Static<S extends TSchema> = S extends Typed<infer T> ? T : never;

type Properties = Readonly<Record<string, TSchema>>;
type OptionalKeys<P extends Properties> = { [K in keyof P]: P[K] extends Optional ? K : never }[keyof P];
type ObjectOf<P extends Properties> = {
  [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]>;
} & { [K in OptionalKeys<P>]?: Static<P[K]> };
type Flat<T> = { [K in keyof T]: T[K] };

/** The keywords that may be given beside those of the builder. */
type Rest = Omit<JsonSchema, "type" | "required" | "properties" | "items" | "anyOf" | "enum" | "const">;

function objectOf<const P extends Properties>(properties: P, rest: Rest = {}) {
  const required = Object.keys(properties).filter((key) => !(isOptional in (properties[key] ?? {})));
  const schema = { type: "object", ...(required.length === 0 ? {} : { required }), properties, ...rest } as const;
  return schema satisfies JsonSchema as typeof schema & Typed<Flat<ObjectOf<P>>>;
}

export const Type = {
  Object: objectOf,
  /** A property that may be absent. */
  Optional: <S extends TSchema>(schema: S): S & Optional => ({ ...schema, [isOptional]: true }),
  Array: <S extends TSchema>(items: S, rest: Rest = {}): Typed<Static<S>[]> => ({ type: "array", items, ...rest }),
  Union: <const S extends readonly TSchema[]>(anyOf: S, rest: Rest = {}): Typed<Static<S[number]>> => ({
    anyOf,
    ...rest,
  }),
  Enum: <const V extends string>(values: readonly V[], rest: Rest = {}): Typed<V> => ({ enum: values, ...rest }),
  Literal: <const V extends string>(only: V, rest: Rest = {}): Typed<V> => ({ type: "string", const: only, ...rest }),
  String: (rest: Rest = {}): Typed<string> => ({ type: "string", ...rest }),
  Number: (rest: Rest = {}): Typed<number> => ({ type: "number", ...rest }),
  Integer: (rest: Rest = {}): Typed<number> => ({ type: "integer", ...rest }),
  Boolean: (rest: Rest = {}): Typed<boolean> => ({ type: "boolean", ...rest }),
  /** A schema written by hand for values of a type. */
  Unsafe: <T>(schema: JsonSchema): Typed<T> => schema,
};
