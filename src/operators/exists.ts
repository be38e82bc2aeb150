import * as d from "../base/decoder.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { ALL_TYPES, ofTypes } from "./value-set.js";

const OF_NULL = ofTypes(["null"]);
const OF_ALL_ELSE = ofTypes(ALL_TYPES.filter((type) => type !== "null"));

/** Whether a value is present and not null: the only operator that judges a missing value. */
export const exists = defineOperator({
  op: "exists",
  fields: { value: d.boolean },
  written: written({
    since: "1.0",
    schema: { type: "boolean", description: "true: present and not null; false: absent or null" },
    families: { full: { at: 2 } },
    lower: (value) => ({ op: "exists", value }),
  }),
  judge:
    ({ value: wanted }) =>
    (value) =>
      (value !== null) === wanted,
  absent: ({ value: wanted }) => !wanted,
  quick: () => null,
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => (value ? "present and not null" : "absent or null"),
    verb: BE,
    sentence: ({ value }) => (value ? "given" : "absent"),
  },
  domain: ({ value }) => ({
    accepts: value ? OF_ALL_ELSE : OF_NULL,
    judges: ALL_TYPES,
  }),
  samples: () => NO_SAMPLES,
  opposite: () => null,
  named: () => [],
  weaker: () => [],
  narrower: () => [],
});
