import * as d from "../base/decoder.js";
import { lengthBound } from "./length-bound.js";
import { BE, defineOperator, written } from "./operator.js";

/** A string or list of at least this length. */
export const lengthGte = defineOperator({
  op: "length_gte",
  fields: { value: d.count },
  written: written({
    since: "1.0",
    schema: {
      type: "integer",
      description: "Shortest allowed length: code points of a string, items of a list",
      minimum: 0,
    },
    families: { full: { at: 9 } },
    lower: (value) => ({ op: "length_gte", value }),
  }),
  ...lengthBound({
    holds: (difference) => difference >= 0,
    accepted: (low) => ({ low }),
  }),
  words: {
    required: ({ value }) => `of length ${value} or more`,
    verb: BE,
    sentence: ({ value }) => `of length ${value} or more`,
  },
  weaker: ({ value }) => (value === 0 ? [] : [{ op: "length_gte", value: value - 1 }]),
  narrower: ({ value }) => [{ op: "length_gte", value: value + 1 }],
});
