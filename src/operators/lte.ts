import * as d from "../base/decoder.js";
import { movedBound } from "../base/moved-bound.js";
import { amount } from "../base/wording.js";
import { numberBound } from "./number-bound.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** A number not above the bound. */
export const lte = defineOperator({
  op: "lte",
  fields: { value: d.number },
  written: written({
    since: "1.0",
    schema: { type: "number", description: "Largest allowed number" },
    families: {
      full: { at: 8 },
      value: { at: 6 },
      condition: { at: 2 },
      override: { at: 2, description: "Upper bound" },
    },
    lower: (value) => ({ op: "lte", value }),
  }),
  ...numberBound((high) => ({ high })),
  judge:
    ({ value: bound }) =>
    (value) =>
      typeof value === "number" ? value <= bound : null,
  quick: ({ value }) => quickTest("to", { bound: value }),
  words: {
    required: ({ value }) => `at most ${value}`,
    verb: BE,
    sentence: ({ value }) => `at most ${amount(value)}`,
  },
  samples: ({ value }) => ({ ...NO_SAMPLES, upper: [value] }),
  opposite: ({ value }) => ({ op: "gt", value }),
  weaker: ({ value }) => [{ op: "lte", value: movedBound(value, 1) }],
  narrower: ({ value }) => [{ op: "lte", value: movedBound(value, -1) }],
});
