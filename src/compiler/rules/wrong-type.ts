import type { TypeName } from "../../base/json.js";
import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

const WORDS: Readonly<Record<TypeName, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a mapping",
  array: "a list",
  null: "nothing",
};

/** A value of another type cannot mean what the field means. */
export const wrongType = defineProblemRule("wrong_type", {
  what: "A value has another type than its field.",
  why: "A value of another type cannot be judged, and guessing a conversion could change the rule.",
  mend: "Give a value of the expected type; a number or word that is meant as text needs quotes.",
  message({ where, expected, found }) {
    const subject = where === "" ? "the file" : quoted(where);
    return `${subject} must be ${expected.map((name) => WORDS[name]).join(" or ")}, found ${found === "boolean" ? "a boolean" : WORDS[found]}`;
  },
  help({ expected, found }) {
    const scalar = found === "number" || found === "integer" || found === "boolean";
    if (expected.every((name) => name === "string") && scalar) return "put it in quotes";
    if (expected[0] === "array") return "write a list: `[…]`, or lines that start with `- `";
    return expected[0] === "object"
      ? "write a mapping: lines of `key: value`"
      : `write ${expected.map((name) => WORDS[name]).join(" or ")}`;
  },
});
