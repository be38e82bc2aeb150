import { spend } from "../base/cost.js";
import * as d from "../base/decoder.js";
import { deepEqual } from "../base/equal.js";
import { includesText } from "../base/includes-text.js";
import { isJsonList, type Json } from "../base/json.js";
import { lengthOf } from "../base/length.js";
import { show } from "../base/wording.js";
import type { Judgement } from "./judgement.js";
import { defineOperator, NO_SAMPLES, type Verb, written } from "./operator.js";
import { type Domain, ofLengths, ofTypes, type ValueType } from "./value-set.js";

const CONTAIN: Verb = { duty: "contain", fact: "contains", feature: "containing" };

function judgePart(value: Json, part: Json): Judgement {
  if (typeof value === "string") return typeof part === "string" ? includesText(value, part) : null;
  if (!isJsonList(value)) return null;
  spend(2 * value.length);
  return value.some((item) => deepEqual(item, part));
}

function domainOf(part: Json): Domain {
  const types: readonly ValueType[] = typeof part === "string" ? ["string", "array"] : ["array"];
  const { array } = ofLengths({ low: 1 }).lengths;
  const { string } = ofLengths({ low: lengthOf(part) ?? 0 }).lengths;
  return {
    accepts: { ...ofTypes(types), lengths: { string, array }, parts: [part] },
    judges: types,
  };
}

/** A string with a substring, or a list with an item. */
export const contains = defineOperator({
  op: "contains",
  fields: { value: d.json },
  written: written({
    since: "1.0",
    schema: { description: "A substring of a string, or an item of a list" },
    families: { full: { at: 4 } },
    lower: (value) => ({ op: "contains", value }),
  }),
  judge:
    ({ value: part }) =>
    (value) =>
      judgePart(value, part),
  absent: () => null,
  quick: () => null,
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => `containing ${show(value)}`,
    verb: CONTAIN,
    sentence: ({ value }) => show(value),
  },
  domain: ({ value }) => domainOf(value),
  samples: ({ value }) => ({ ...NO_SAMPLES, parts: [value] }),
  opposite: () => null,
  named: () => null,
  weaker: () => [],
  narrower: () => [],
});
