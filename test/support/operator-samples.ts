import type { Json } from "../../src/base/json.js";
import type { CompiledOperator, Op } from "../../src/operators/index.js";

type OperatorOf<K extends Op> = Extract<CompiledOperator, { readonly op: K }>;

/** A few of every operator, with operands near each other; one that is forgotten here does not compile. */
const OPERATOR_SAMPLES: { readonly [K in Op]: readonly OperatorOf<K>[] } = {
  exists: [
    { op: "exists", value: true },
    { op: "exists", value: false },
  ],
  type: (["string", "number", "integer", "boolean", "object", "array", "null"] as const).map((value) => ({
    op: "type",
    value,
  })),
  equals: [null, true, 1, 2, "a", "", [1], { a: 1 }].map((value) => ({ op: "equals", value })),
  one_of: [["a", "b"], ["a"], [1, 2, 3], [1, "a"], [null, true], [[1], { a: 1 }], []].map((values) => ({
    op: "one_of",
    values,
  })),
  contains: ["a", "ab", "", 1, null, { a: 1 }].map((value) => ({ op: "contains", value })),
  regex: ["a", "^a", "a$", "^a$", "b|a", "^$"].flatMap((source) => [
    { op: "regex", pattern: { engine: "native", source } } as const,
    { op: "regex", pattern: { engine: "counted", source } } as const,
  ]),
  gte: [-1, 0, 1, 1.5].map((value) => ({ op: "gte", value })),
  lte: [-1, 0, 1, 1.5].map((value) => ({ op: "lte", value })),
  gt: [-1, 0, 1, 1.5].map((value) => ({ op: "gt", value })),
  lt: [-1, 0, 1, 1.5].map((value) => ({ op: "lt", value })),
  multiple_of: [0.5, 1, 2, 3].map((value) => ({ op: "multiple_of", value })),
  length_gte: [0, 1, 2].map((value) => ({ op: "length_gte", value })),
  length_lte: [0, 1, 2].map((value) => ({ op: "length_lte", value })),
  equals_env: ["A", "B"].map((name) => ({ op: "equals_env", name })),
  not_one_of: [["a", "b"], ["a"], [1, 2, 3], [1, "a"], [null, true], [[1], { a: 1 }, "a"], []].map((values) => ({
    op: "not_one_of",
    values,
  })),
  not_equals: [null, true, 1, 2, "a", "", [1], { a: 1 }].map((value) => ({ op: "not_equals", value })),
};

/** All of them. */
export const SAMPLE_OPERATORS: readonly CompiledOperator[] = Object.values(OPERATOR_SAMPLES).flat();

/** Values on both sides of what the samples draw a line between. */
export const SAMPLE_VALUES: readonly Json[] = [
  ...[null, true, false, -2, -1, 0, 0.5, 1, 1.5, 2, 3, 2 ** 53],
  ...["", "a", "b", "ab", "ba", "aa", "abc", "😀", "A"],
  ...[[], [1], ["a"], ["a", "b"], [1, 2, 3], [null], [[1]], [{ a: 1 }]],
  ...[{}, { a: 1 }, { a: 1, b: 2 }, { a: "a" }],
];
