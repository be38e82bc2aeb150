import * as d from "../base/decoder.js";
import { amount } from "../base/wording.js";
import { numberBound } from "./number-bound.js";
import { BE, defineOperator, NO_SAMPLES } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** A number below the bound. */
export const lt = defineOperator({
  op: "lt",
  fields: { value: d.number },
  written: null,
  ...numberBound(
    (high) => ({ high, isHighOpen: true }),
    (low) => ({ low }),
  ),
  judge:
    ({ value: bound }) =>
    (value) =>
      typeof value === "number" ? value < bound : null,
  quick: ({ value }) => quickTest("below", { bound: value }),
  words: {
    required: ({ value }) => `less than ${value}`,
    verb: BE,
    sentence: ({ value }) => `less than ${amount(value)}`,
  },
  samples: ({ value }) => ({ ...NO_SAMPLES, upper: [value] }),
});
