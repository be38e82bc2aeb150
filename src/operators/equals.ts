import * as d from "../base/decoder.js";
import { show } from "../base/wording.js";
import { anyOfType, isScalar, judgeEqual, listDomain } from "./equality.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

/** One JSON value. */
export const equals = defineOperator({
  op: "equals",
  fields: { value: d.json },
  written: written({
    since: "1.0",
    schema: { description: "The value, compared as JSON: deep, key order irrelevant, 1 equals 1.0" },
    families: {
      full: { at: 1 },
      condition: { at: 3 },
      override: { at: 3, description: "The value the slot must hold" },
    },
    lower: (value) => ({ op: "equals", value }),
  }),
  judge:
    ({ value: expected }) =>
    (value) =>
      judgeEqual(value, expected),
  absent: () => null,
  quick: ({ value }) => (isScalar(value) ? quickTest("equal", { value }) : null),
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => `equal to ${show(value)}`,
    verb: BE,
    sentence: ({ value }) => `equal to ${show(value)}`,
  },
  domain: ({ value }) => listDomain([value]),
  samples: ({ value }) => ({ ...NO_SAMPLES, values: [value] }),
  opposite: ({ value }) => ({ op: "not_equals", value }),
  named: ({ value }) => [value],
  weaker: ({ value }) => anyOfType([value]),
  narrower: () => [],
});
