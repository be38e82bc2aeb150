import { isMultipleOf } from "../base/decimal.js";
import * as d from "../base/decoder.js";
import { BE, defineOperator, NO_SAMPLES } from "./operator.js";
import { ofTypes } from "./value-set.js";

/** A multiple of a number, exactly. */
export const multipleOf = defineOperator({
  op: "multiple_of",
  fields: { value: d.number },
  written: null,
  judge:
    ({ value: step }) =>
    (value) =>
      typeof value === "number" ? isMultipleOf(value, step) : null,
  absent: () => null,
  quick: () => null,
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => `a multiple of ${value}`,
    verb: BE,
    sentence: ({ value }) => `a multiple of ${value}`,
  },
  domain: ({ value }) => ({
    accepts: { ...ofTypes(["number"]), step: value },
    judges: ["number"],
  }),
  samples: ({ value }) => ({ ...NO_SAMPLES, steps: [value] }),
  opposite: () => null,
  named: () => null,
  weaker: () => [],
  narrower: () => [],
});
