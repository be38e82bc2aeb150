import type { Json } from "./json.js";

/** Thrown inside a decoder and caught where decoding starts: the part that was not as expected. */
export class DecodeFailure extends Error {
  constructor(
    readonly path: string,
    readonly expected: string,
  ) {
    super(`${path}: expected ${expected}`);
  }
}

/** Expected of a field that is not known: its path ends with a name that may be anything. */
export const UNKNOWN_FIELD = "to be absent";

/** Checks an unknown value and returns it typed; `path` names the part in an error. */
export type Decoder<T> = (value: unknown, path: string) => T;

/** The type that a decoder accepts. */
export type Decoded<D> = D extends Decoder<infer T> ? T : never;

/** The decoders that a decoder is made of; a plain value has none. */
export type Form =
  | { readonly kind: "object"; readonly fields: Fields }
  /** By the text in the field `tag`; each is the decoder of an object. */
  | { readonly kind: "tagged"; readonly tag: string; readonly variants: ReadonlyMap<string, Decoder<unknown>> }
  | { readonly kind: "list"; readonly item: Decoder<unknown> }
  /** One of several, such as null or a value. */
  | { readonly kind: "either"; readonly decoders: readonly Decoder<unknown>[] }
  | { readonly kind: "lazy"; readonly make: () => Decoder<unknown> };

const forms = new WeakMap<Decoder<unknown>, Form>();

/** The parts that a decoder is made of, for code that walks a format instead of a value; undefined for a plain value. */
export function formOf(decoder: Decoder<unknown>): Form | undefined {
  return forms.get(decoder);
}

function formed<T>(decoder: Decoder<T>, form: Form): Decoder<T> {
  forms.set(decoder, form);
  return decoder;
}

function fail(path: string, expected: string): never {
  throw new DecodeFailure(path, expected);
}

export const string: Decoder<string> = (value, path) => (typeof value === "string" ? value : fail(path, "a string"));

export const boolean: Decoder<boolean> = (value, path) =>
  typeof value === "boolean" ? value : fail(path, "true or false");

export const number: Decoder<number> = (value, path) =>
  typeof value === "number" && Number.isFinite(value) ? value : fail(path, "a finite number");

/** An integer that is held exactly. */
export const integer: Decoder<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : fail(path, "an integer");

/** An integer that counts something. */
export const count: Decoder<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : fail(path, "a count");

/** Any JSON value, to any depth. */
export const json: Decoder<Json> = (value, path) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return number(value, path);
  if (Array.isArray(value)) return value.map((item, index) => json(item, `${path}[${index}]`));
  if (typeof value !== "object") return fail(path, "a JSON value");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, json(item, `${path}.${key}`)]));
};

/** One of a few fixed strings. */
export function oneOf<const T extends string>(...values: readonly T[]): Decoder<T> {
  return (value, path) => values.find((candidate) => candidate === value) ?? fail(path, values.join(" | "));
}

/** What `inner` accepts, or null. */
export function nullable<T>(inner: Decoder<T>): Decoder<T | null> {
  const decoder: Decoder<T | null> = (value, path) => (value === null ? null : inner(value, path));
  return formed(decoder, { kind: "either", decoders: [inner] });
}

/** A list whose items all decode. */
export function list<T>(inner: Decoder<T>): Decoder<readonly T[]> {
  const decoder: Decoder<readonly T[]> = (value, path) => {
    if (!Array.isArray(value)) return fail(path, "a list");
    // Not with `map`: its lists get another hidden class once it is optimized, and code that reads them is compiled again.
    const items: T[] = [];
    for (const item of value) items.push(inner(item, `${path}[${items.length}]`));
    return items;
  };
  return formed(decoder, { kind: "list", item: inner });
}

/** A list with at least one item. */
export function filledList<T>(inner: Decoder<T>): Decoder<readonly T[]> {
  const all = list(inner);
  const decoder: Decoder<readonly T[]> = (value, path) => {
    const items = all(value, path);
    return items.length > 0 ? items : fail(path, "at least one item");
  };
  return formed(decoder, { kind: "list", item: inner });
}

/** Either of two shapes that differ in type. */
export function either<A, B>(first: Decoder<A>, second: Decoder<B>): Decoder<A | B> {
  const decoder: Decoder<A | B> = (value, path) => {
    try {
      return first(value, path);
    } catch (cause) {
      if (cause instanceof DecodeFailure) return second(value, path);
      throw cause;
    }
  };
  return formed(decoder, { kind: "either", decoders: [first, second] });
}

/** The decoder of a field that may be absent. */
export type OptionalDecoder<T> = Decoder<T> & { readonly isOptional: true };

/** A field that may be absent; so formats grow without a change to what was written before. */
export function optional<T>(inner: Decoder<T>): OptionalDecoder<T> {
  const decoder: Decoder<T> = (value, path) => inner(value, path);
  return Object.assign(formed(decoder, { kind: "either", decoders: [inner] }), { isOptional: true as const });
}

type Fields = Readonly<Record<string, Decoder<unknown>>>;
type OptionalName<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never;
}[keyof F];
type Shape<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalName<F>>]: Decoded<F[K]> } & {
  readonly [K in OptionalName<F>]?: Decoded<F[K]>;
};

/** An object with exactly these fields: none added, none missing but optional ones. */
export function object<F extends Fields>(fields: F): Decoder<Shape<F>> {
  const names = Object.keys(fields);
  const decoder: Decoder<Shape<F>> = (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(path, "an object");
    const entries = new Map<string, unknown>(Object.entries(value));
    const decoded: Record<string, unknown> = {};
    for (const name of names) {
      const field = fields[name];
      if (entries.has(name)) decoded[name] = field?.(entries.get(name), `${path}.${name}`);
      else if (field === undefined || !("isOptional" in field)) fail(`${path}.${name}`, "to be present");
    }
    for (const name of entries.keys()) if (!Object.hasOwn(fields, name)) fail(`${path}.${name}`, UNKNOWN_FIELD);
    return decoded as Shape<F>; // the loop above filled exactly the fields of F
  };
  return formed(decoder, { kind: "object", fields });
}

/** A union distinguished by the text in `tag`. */
export function tagged<K extends string, V extends Readonly<Record<string, Fields>>>(
  tag: K,
  variants: V,
): Decoder<{ [N in keyof V & string]: { readonly [P in K]: N } & Shape<V[N]> }[keyof V & string]> {
  const decoders = new Map(
    Object.entries(variants).map(([name, fields]) => [name, object({ [tag]: oneOf(name), ...fields })]),
  );
  const decoder: Decoder<never> = (value, path) => {
    const name =
      typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === tag) : undefined;
    const variant = typeof name?.[1] === "string" ? decoders.get(name[1]) : undefined;
    if (variant === undefined) return fail(`${path}.${tag}`, [...decoders.keys()].join(" | "));
    return variant(value, path) as never; // the variant chosen by its own tag
  };
  return formed(decoder, { kind: "tagged", tag, variants: decoders });
}

/** A decoder that may refer to itself. */
export function lazy<T>(make: () => Decoder<T>): Decoder<T> {
  const decoder: Decoder<T> = (value, path) => make()(value, path);
  return formed(decoder, { kind: "lazy", make });
}
