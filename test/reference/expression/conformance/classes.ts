/** Why a case that the language can say ends differently, with the cases. `has` and null has none: all such cases are of messages. */
export const DEVIATIONS: Readonly<Record<"numbers" | "has and null" | "unequal kinds", readonly string[]>> = {
  // Numbers are exact decimals of one kind: no overflow, no infinity, and what has no result cannot be judged.
  numbers: [
    "comparisons/eq_literal/not_eq_double_nan",
    "comparisons/ne_literal/not_ne_double_nan",
    "comparisons/ne_literal/ne_double_nan",
    "conversions/double/int_range",
    "conversions/double/uint_range",
    "fields/qualified_identifier_resolution/map_key_float",
    "fp_math/fp_math/divide_zero",
    "fp_math/fp_math/fp_overflow_positive",
    "fp_math/fp_math/fp_overflow_negative",
    "fp_math/fp_math/fp_underflow",
    "integer_math/int64_math/unary_minus_no_overload",
    "integer_math/int64_math/int64_overflow_positive",
    "integer_math/int64_math/int64_overflow_negative",
    "integer_math/int64_math/int64_overflow_add_negative",
    "integer_math/int64_math/int64_overflow_sub_positive",
    "integer_math/int64_math/int64_min_negate",
    "integer_math/int64_math/int64_min_negate_mul",
    "integer_math/int64_math/int64_min_negate_div",
    "integer_math/int64_math/int64_overflow_mul_positive",
    "integer_math/int64_math/int64_overflow_mul_negative",
    "integer_math/int64_math/uint64_overflow_positive",
    "integer_math/int64_math/uint64_overflow_negative",
    "integer_math/int64_math/uint64_overflow_mul_positive",
    "integer_math/uint64_math/negative_no_overload",
    "math_ext/abs/int_overflow",
  ],
  "has and null": [],
  "unequal kinds": [],
};

/** Cases that parse, but use an operand that an operator or function of the language does not take: they cannot be judged. */
export const OPERANDS_OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  "the order of booleans": [
    "comparisons/lt_literal/lt_bool_false_first",
    "comparisons/lt_literal/not_lt_bool_same",
    "comparisons/lt_literal/not_lt_bool_true_first",
    "comparisons/gt_literal/gt_bool_true_false",
    "comparisons/gt_literal/not_gt_bool_false_true",
    "comparisons/gt_literal/not_gt_bool_same",
    "comparisons/lte_literal/lte_bool_false_true",
    "comparisons/lte_literal/lte_bool_false_false",
    "comparisons/lte_literal/lte_bool_true_false",
    "comparisons/gte_literal/gte_bool_gt",
    "comparisons/gte_literal/gte_bool_eq",
    "comparisons/gte_literal/not_gte_bool_lt",
    "comparisons/bound/bool_lt_right_true",
  ],
  "timestamps from numbers": ["conversions/identity/timestamp"],
  "durations in nanoseconds": [
    "timestamps/timestamp_arithmetic/add_time_to_duration_nanos_negative",
    "timestamps/timestamp_arithmetic/add_time_to_duration_nanos_positive",
  ],
  "parts of durations": [
    "timestamps/duration_converters/get_hours",
    "timestamps/duration_converters/get_minutes",
    "timestamps/duration_converters/get_seconds",
  ],
};
