import * as d from "../base/decoder.js";
import { movedBound } from "../base/moved-bound.js";
import { amount } from "../base/wording.js";
import { numberBound } from "./number-bound.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** A number below the bound. */
export const lt = defineOperator({
  op: "lt",
  fields: { value: d.number },
  written: written({
    since: "1.1",
    schema: { type: "number", description: "The number must be less" },
    families: { full: { at: 15 }, condition: { at: 8 } },
    lower: (value) => ({ op: "lt", value }),
  }),
  ...numberBound((high) => ({ high, isHighOpen: true })),
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
  opposite: ({ value }) => ({ op: "gte", value }),
  weaker: ({ value }) => [{ op: "lte", value }],
  narrower: ({ value }) => [{ op: "lt", value: movedBound(value, -1) }],
});
