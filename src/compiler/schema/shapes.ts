import { isJsonObject, type Json, type JsonObject, TYPE_NAMES, type TypeName } from "../../base/json.js";

/** What the value of a keyword must look like. */
export interface Shape<T> {
  /** Completes "`keyword` must be …". */
  readonly expected: string;
  /** The value, typed; undefined where it has another shape. */
  readonly accept: (value: Json) => T | undefined;
}

const MAX_VALUE_DEPTH = 100;

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Numbers beyond the range of doubles would not survive in the artifact. */
function isPlain(value: Json, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return (isList(value) ? value : Object.values(value)).every((item) => isPlain(item, depth - 1));
}

function isUnique(items: readonly unknown[]): boolean {
  return new Set(items).size === items.length;
}

function listOf<T extends Json>(value: Json, accept: (item: Json) => T | undefined): readonly T[] | undefined {
  if (!isList(value)) return undefined;
  const items = value.map(accept).filter((item) => item !== undefined);
  return items.length === value.length && isUnique(items) ? items : undefined;
}

function typeName(value: Json): TypeName | undefined {
  return TYPE_NAMES.find((name) => name === value);
}

export const TEXT: Shape<string> = {
  expected: "a string",
  accept: (value) => (typeof value === "string" ? value : undefined),
};

export const FLAG: Shape<boolean> = {
  expected: "true or false",
  accept: (value) => (typeof value === "boolean" ? value : undefined),
};

export const NUMBER: Shape<number> = {
  expected: "a number",
  accept: (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined),
};

export const EXCLUSIVE_BOUND: Shape<number> = {
  ...NUMBER,
  expected: "a number; the true or false of draft 04 is not supported",
};

export const STEP: Shape<number> = {
  expected: "a number greater than 0",
  accept: (value) => (typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined),
};

/** Counts are cut at the largest safe integer: nothing that is counted gets that far. */
export const COUNT: Shape<number> = {
  expected: "an integer that is 0 or greater",
  accept: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 0
      ? Math.min(value, Number.MAX_SAFE_INTEGER)
      : undefined,
};

export const NAMES: Shape<readonly string[]> = {
  expected: "a list of different strings",
  accept: (value) => listOf(value, TEXT.accept),
};

export const TYPES: Shape<readonly TypeName[]> = {
  expected: `one or a list of different ones of ${TYPE_NAMES.join(", ")}`,
  accept: (value) => {
    const types = listOf(isList(value) ? value : [value], typeName);
    return types === undefined || types.length === 0 ? undefined : types;
  },
};

/** Any value, wrapped, because null is a value too. */
export const VALUE: Shape<{ readonly value: Json }> = {
  expected: `a value at most ${MAX_VALUE_DEPTH} levels deep with numbers in the range of a double`,
  accept: (value) => (isPlain(value, MAX_VALUE_DEPTH) ? { value } : undefined),
};

export const VALUES: Shape<readonly Json[]> = {
  expected: `a list of at least one value, each at most ${MAX_VALUE_DEPTH} levels deep with numbers in the range of a double`,
  accept: (value) => (isList(value) && value.length > 0 && isPlain(value, MAX_VALUE_DEPTH + 1) ? value : undefined),
};

export const LIST: Shape<readonly Json[]> = {
  expected: "a list of at least one schema",
  accept: (value) => (isList(value) && value.length > 0 ? value : undefined),
};

export const MAP: Shape<JsonObject> = {
  expected: "an object",
  accept: (value) => (isJsonObject(value) ? value : undefined),
};
