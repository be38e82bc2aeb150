import * as d from "../base/decoder.js";
import { lengthBound } from "./length-bound.js";
import { BE, defineOperator, written } from "./operator.js";

/** A string or list of at most this length. */
export const lengthLte = defineOperator({
  op: "length_lte",
  fields: { value: d.count },
  written: written({
    since: "1.0",
    schema: {
      type: "integer",
      description: "Longest allowed length: code points of a string, items of a list",
      minimum: 0,
    },
    families: { full: { at: 10 } },
    lower: (value) => ({ op: "length_lte", value }),
  }),
  ...lengthBound({
    holds: (difference) => difference <= 0,
    accepted: (high) => ({ high }),
  }),
  words: {
    required: ({ value }) => `of length ${value} or less`,
    verb: BE,
    sentence: ({ value }) => `of length ${value} or less`,
  },
  weaker: ({ value }) => [{ op: "length_lte", value: value + 1 }],
  narrower: ({ value }) => (value === 0 ? [] : [{ op: "length_lte", value: value - 1 }]),
});
