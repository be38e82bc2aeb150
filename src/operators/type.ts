import * as d from "../base/decoder.js";
import { isOfType, TYPE_NAMES, type TypeName } from "../base/json.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { quickTest } from "./quick-test.js";
import { ALL_TYPES, ofTypes, type ValueSet } from "./value-set.js";

/** The name of a type for people who do not program. */
export const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "nothing",
};

export const typeName = d.oneOf(...TYPE_NAMES);

function accepted(type: TypeName): ValueSet {
  return type === "integer" ? { ...ofTypes(["number"]), step: 1 } : ofTypes([type]);
}

/** A value of a type; 3.0 is an integer. Schemas of tools also ask for null. */
export const type = defineOperator({
  op: "type",
  fields: { value: typeName },
  written: written({
    since: "1.0",
    schema: { enum: ["string", "number", "integer", "boolean", "object", "array"], description: "Type of the value" },
    families: { full: { at: 3 }, value: { at: 2 } },
    lower: (value) => ({ op: "type", value }),
  }),
  judge:
    ({ value: wanted }) =>
    (value) =>
      isOfType(value, wanted),
  absent: () => null,
  quick: ({ value }) => (value === "string" ? quickTest("text", {}) : null),
  operand: ({ value }) => value,
  variable: () => null,
  shows: "value",
  words: {
    required: ({ value }) => `of type ${value}`,
    verb: BE,
    sentence: ({ value }) => TYPE_WORDS[value],
  },
  domain: ({ value }) => ({
    accepts: accepted(value),
    judges: ALL_TYPES,
  }),
  samples: () => NO_SAMPLES,
  opposite: () => null,
  named: () => null,
  weaker: ({ value }) => (value === "integer" ? [{ op: "type", value: "number" }] : []),
  narrower: () => [],
});
