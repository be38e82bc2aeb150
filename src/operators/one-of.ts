import { spend } from "../base/cost.js";
import * as d from "../base/decoder.js";
import type { Json } from "../base/json.js";
import { listed, show } from "../base/wording.js";
import { anyOfType, fewerValues, isScalar, judgeEqual, listDomain } from "./equality.js";
import type { Judgement } from "./judgement.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";

function judgeListed(value: Json, expected: readonly Json[]): Judgement {
  spend(2 * expected.length);
  let isComparable = false;
  for (const candidate of expected) {
    const judgement = judgeEqual(value, candidate);
    if (judgement === true) return true;
    if (judgement === false) isComparable = true;
  }
  return isComparable ? false : null;
}

const LONGEST = 200;

/** Values in words, cut where the list is long. */
export function alternatives(values: readonly Json[]): string {
  const text = listed(values.map(show), "or");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const values = d.list(d.json);

/** One of several JSON values. */
export const oneOf = defineOperator({
  op: "one_of",
  fields: { values },
  written: written({
    since: "1.0",
    schema: {
      type: "array",
      items: { description: "An allowed value" },
      description: "The allowed values",
      minItems: 1,
    },
    families: { full: { at: 5 }, value: { at: 4 }, condition: { at: 4 } },
    lower: (allowed) => ({ op: "one_of", values: allowed }),
  }),
  judge:
    ({ values }) =>
    (value) =>
      judgeListed(value, values),
  absent: () => null,
  quick: ({ values }) => quickTest("listed", { values: new Set(values.filter(isScalar)) }),
  operand: ({ values }) => values,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ values }) => `one of ${show(values)}`,
    verb: BE,
    sentence: ({ values }) => `equal to ${alternatives(values)}`,
  },
  domain: ({ values }) => listDomain(values),
  samples: ({ values }) => ({ ...NO_SAMPLES, values }),
  opposite: ({ values }) => ({ op: "not_one_of", values }),
  named: ({ values }) => values,
  weaker: ({ values }) => anyOfType(values),
  narrower: ({ values }) => fewerValues(values).map((fewer) => ({ op: "one_of", values: fewer })),
});
