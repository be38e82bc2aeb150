import * as d from "../base/decoder.js";
import { movedBound } from "../base/moved-bound.js";
import { amount } from "../base/wording.js";
import { numberBound } from "./number-bound.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** A number not below the bound. */
export const gte = defineOperator({
  op: "gte",
  fields: { value: d.number },
  written: written({
    since: "1.0",
    schema: { type: "number", description: "Smallest allowed number" },
    families: {
      full: { at: 7 },
      value: { at: 5 },
      condition: { at: 1 },
      override: { at: 1, description: "Lower bound" },
    },
    lower: (value) => ({ op: "gte", value }),
  }),
  ...numberBound((low) => ({ low })),
  judge:
    ({ value: bound }) =>
    (value) =>
      typeof value === "number" ? value >= bound : null,
  quick: ({ value }) => quickTest("from", { bound: value }),
  words: {
    required: ({ value }) => `at least ${value}`,
    verb: BE,
    sentence: ({ value }) => `at least ${amount(value)}`,
  },
  samples: ({ value }) => ({ ...NO_SAMPLES, lower: [value] }),
  opposite: ({ value }) => ({ op: "lt", value }),
  weaker: ({ value }) => [{ op: "gte", value: movedBound(value, -1) }],
  narrower: ({ value }) => [{ op: "gte", value: movedBound(value, 1) }],
});
