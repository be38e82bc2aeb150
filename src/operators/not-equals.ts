import * as d from "../base/decoder.js";
import { deepEqual } from "../base/equal.js";
import type { Json } from "../base/json.js";
import { show } from "../base/wording.js";
import { isScalar } from "./equality.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";
import { ALL_TYPES, type Domain, ofTypes } from "./value-set.js";

/** What is known of an operator that lists the values it refuses. */
export function exclusionDomain(values: readonly Json[]): Domain {
  const accepted = ALL_TYPES.filter((type) => type !== "null" || !values.includes(null));
  return {
    accepts: { ...ofTypes(accepted), except: values },
    judges: ALL_TYPES,
  };
}

/** Any JSON value but one. Whatever has another type is another value, so all values can be judged. */
export const notEquals = defineOperator({
  op: "not_equals",
  fields: { value: d.json },
  written: written({
    since: "1.1",
    schema: { description: "The value it must not be, compared as JSON; a missing one fails" },
    families: { full: { at: 12 }, condition: { at: 5 } },
    lower: (value) => ({ op: "not_equals", value }),
  }),
  judge:
    ({ value: unwanted }) =>
    (value) =>
      !deepEqual(value, unwanted),
  absent: () => null,
  quick: ({ value: unwanted }) =>
    isScalar(unwanted) ? quickTest("other", { holds: (value) => value !== unwanted }) : null,
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => `other than ${show(value)}`,
    verb: BE,
    sentence: ({ value }) => `other than ${show(value)}`,
  },
  domain: ({ value }) => exclusionDomain([value]),
  samples: ({ value }) => ({ ...NO_SAMPLES, values: [value] }),
  opposite: ({ value }) => ({ op: "equals", value }),
  named: ({ value }) => [value],
  weaker: () => [],
  narrower: () => [],
});
