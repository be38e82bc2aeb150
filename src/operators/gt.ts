import * as d from "../base/decoder.js";
import { movedBound } from "../base/moved-bound.js";
import { amount } from "../base/wording.js";
import { numberBound } from "./number-bound.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** A number above the bound. */
export const gt = defineOperator({
  op: "gt",
  fields: { value: d.number },
  written: written({
    since: "1.1",
    schema: { type: "number", description: "The number must be greater" },
    families: { full: { at: 14 }, condition: { at: 7 } },
    lower: (value) => ({ op: "gt", value }),
  }),
  ...numberBound((low) => ({ low, isLowOpen: true })),
  judge:
    ({ value: bound }) =>
    (value) =>
      typeof value === "number" ? value > bound : null,
  quick: ({ value }) => quickTest("above", { bound: value }),
  words: {
    required: ({ value }) => `greater than ${value}`,
    verb: BE,
    sentence: ({ value }) => `greater than ${amount(value)}`,
  },
  samples: ({ value }) => ({ ...NO_SAMPLES, lower: [value] }),
  opposite: ({ value }) => ({ op: "lte", value }),
  weaker: ({ value }) => [{ op: "gte", value }],
  narrower: ({ value }) => [{ op: "gt", value: movedBound(value, 1) }],
});
