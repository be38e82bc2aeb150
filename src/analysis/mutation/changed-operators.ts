import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { typeOf } from "../../base/json.js";
import type { Op } from "../../operators/index.js";
import { movedBound } from "./moved-bound.js";

type OperatorBy = { readonly [K in Op]: Extract<CompiledOperator, { readonly op: K }> };
type Table = { readonly [K in Op]: (operator: OperatorBy[K]) => readonly CompiledOperator[] };

const none = (): readonly CompiledOperator[] => [];

/** A condition on the type of some values, if they are of one type that a contract can name. */
function anyOfType(values: readonly Parameters<typeof typeOf>[0][]): readonly CompiledOperator[] {
  const types = [...new Set(values.map(typeOf))];
  const [type] = types;
  if (types.length !== 1 || type === undefined || type === "null") return [];
  return [{ op: "type", value: type }];
}

/**
 * For each operator, conditions that more values meet, each by the smallest change that a test can be expected to notice. One
 * more value in a list is no such change: only a test with just that value would. Any value of the type is.
 */
const WEAKER: Table = {
  exists: none,
  type: ({ value }) => (value === "integer" ? [{ op: "type", value: "number" }] : []),
  equals: ({ value }) => anyOfType([value]),
  one_of: ({ values }) => anyOfType(values),
  contains: none,
  regex: none,
  gte: ({ value }) => [{ op: "gte", value: movedBound(value, -1) }],
  lte: ({ value }) => [{ op: "lte", value: movedBound(value, 1) }],
  gt: ({ value }) => [{ op: "gte", value }],
  lt: ({ value }) => [{ op: "lte", value }],
  multiple_of: none,
  length_gte: ({ value }) => (value === 0 ? [] : [{ op: "length_gte", value: value - 1 }]),
  length_lte: ({ value }) => [{ op: "length_lte", value: value + 1 }],
  equals_env: none,
  not_equals: none,
  not_one_of: ({ values }) => fewerValues(values).map((fewer) => ({ op: "not_one_of", values: fewer })),
};

/** For each operator, conditions that fewer values meet, by the same measure. */
const NARROWER: Table = {
  exists: none,
  type: none,
  equals: none,
  one_of: ({ values }) => fewerValues(values).map((fewer) => ({ op: "one_of", values: fewer })),
  contains: none,
  regex: none,
  gte: ({ value }) => [{ op: "gte", value: movedBound(value, 1) }],
  lte: ({ value }) => [{ op: "lte", value: movedBound(value, -1) }],
  gt: ({ value }) => [{ op: "gt", value: movedBound(value, 1) }],
  lt: ({ value }) => [{ op: "lt", value: movedBound(value, -1) }],
  multiple_of: none,
  length_gte: ({ value }) => [{ op: "length_gte", value: value + 1 }],
  length_lte: ({ value }) => (value === 0 ? [] : [{ op: "length_lte", value: value - 1 }]),
  equals_env: none,
  not_equals: none,
  not_one_of: none,
};

/** The list without each of its values in turn; a list without values would be another thing. */
function fewerValues<T>(values: readonly T[]): readonly (readonly T[])[] {
  return values.length < 2 ? [] : values.map((_, at) => values.filter((__, other) => other !== at));
}

/** Keeps the operator and its own entry of the table together. */
function changed<K extends Op>(table: Table, operator: OperatorBy[K]): readonly CompiledOperator[] {
  const entry: (of: OperatorBy[K]) => readonly CompiledOperator[] = table[operator.op];
  return entry(operator);
}

type Entry = { readonly operators: readonly CompiledOperator[] };

/** An entry with one operator changed, or with one less where it has several. */
function changedEntry<E extends Entry>(table: Table, entry: E, canDrop: boolean): readonly E[] {
  const { operators } = entry;
  return operators.flatMap((operator, at) => {
    const fewer = canDrop && operators.length > 1 ? [operators.filter((_, other) => other !== at)] : [];
    const others = changed(table, operator).map((next) => operators.map((each, index) => (index === at ? next : each)));
    return [...fewer, ...others].map((next) => ({ ...entry, operators: next }));
  });
}

/** Entries that more values meet. */
export function weakerEntries<E extends Entry>(entry: E): readonly E[] {
  return changedEntry(WEAKER, entry, true);
}

/** Entries that fewer values meet; for conditions under which something is denied or an approval is asked for. */
export function narrowerEntries<E extends Entry>(entry: E): readonly E[] {
  return changedEntry(NARROWER, entry, false);
}

/** Operators that more values meet. */
export function weakerOperators(operator: CompiledOperator): readonly CompiledOperator[] {
  return changed(WEAKER, operator);
}
