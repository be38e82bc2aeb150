import { spend } from "../base/cost.js";
import * as d from "../base/decoder.js";
import { deepEqual } from "../base/equal.js";
import { show } from "../base/wording.js";
import { fewerValues, isScalar } from "./equality.js";
import { exclusionDomain } from "./not-equals.js";
import { alternatives } from "./one-of.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

const values = d.list(d.json);

/** Any JSON value but several. Whatever has another type is another value, so all values can be judged. */
export const notOneOf = defineOperator({
  op: "not_one_of",
  fields: { values },
  written: written({
    since: "1.1",
    schema: {
      type: "array",
      items: { description: "A value it must not be" },
      description: "The values it must not be; a missing one fails",
      minItems: 1,
    },
    families: { full: { at: 13 }, condition: { at: 6 } },
    lower: (unwanted) => ({ op: "not_one_of", values: unwanted }),
  }),
  judge:
    ({ values: unwanted }) =>
    (value) => {
      spend(2 * unwanted.length);
      return !unwanted.some((one) => deepEqual(value, one));
    },
  absent: () => null,
  quick({ values: unwanted }) {
    const scalars = new Set(unwanted.filter(isScalar));
    return quickTest("other", { holds: (value) => isScalar(value) && !scalars.has(value) });
  },
  operand: (own) => own.values,
  variable: () => null,
  shows: "value",
  words: {
    required: (own) => `none of ${show(own.values)}`,
    verb: BE,
    sentence: (own) => `other than ${alternatives(own.values)}`,
  },
  domain: (own) => exclusionDomain(own.values),
  samples: (own) => ({ ...NO_SAMPLES, values: own.values }),
  opposite: (own) => ({ op: "one_of", values: own.values }),
  named: (own) => own.values,
  weaker: (own) => fewerValues(own.values).map((fewer) => ({ op: "not_one_of", values: fewer })),
  narrower: () => [],
});
