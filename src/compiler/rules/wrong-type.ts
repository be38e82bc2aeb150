import type { TypeName } from "../../base/json.js";
import type { Span } from "../../diagnostics/source.js";
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

/** Dates of other spellings, of which nobody knows for sure which day they are. */
const LIKE_DATE = /^["']?(?:\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?)["']?$/;
const DATE = /^["']?(\d{4}-\d{2}-\d{2})(?:[T ]([\d:.]+)(Z|[+-]\d{2}:\d{2})?)?["']?$/;

/** Bounds are numbers; a date is a text, and texts have no order here. */
function dateHelp({ start, end, source }: Span): string | undefined {
  const text = source.text.slice(start, end);
  const [, day, clock = "00:00", zone = "Z"] = DATE.exec(text) ?? [];
  // A time without a zone is taken for UTC: what is printed must not depend on the machine.
  const time = Date.parse(`${day}T${clock}${zone}`);
  if (Number.isNaN(time) && !LIKE_DATE.test(text)) return undefined;
  const example = Number.isNaN(time) ? "" : ` (\`${time / 1000}\`)`;
  return `dates are texts, which have no order here: let the tool take the time as a number, such as seconds since 1970${example}, or match the text with \`regex\``;
}

/** What to write where a list of tools stands for one. */
function priorHelp(where: string, found: TypeName): string | undefined {
  if ((found !== "array" && found !== "object") || !where.endsWith(".requires_prior_tool")) return undefined;
  return "name one tool; where several must have been called, write an entry `- requires_prior_tool: name` for each";
}

/** A value of another type cannot mean what the field means. */
export const wrongType = defineProblemRule("wrong_type", {
  what: "A value has another type than its field.",
  why: "A value of another type cannot be judged, and guessing a conversion could change the rule.",
  mend: "Give a value of the expected type; a number or word that is meant as text needs quotes.",
  message({ where, expected, found }) {
    const subject = where === "" ? "the file" : quoted(where);
    return `${subject} must be ${expected.map((name) => WORDS[name]).join(" or ")}, found ${found === "boolean" ? "a boolean" : WORDS[found]}`;
  },
  help({ where, expected, found, span }) {
    const special = priorHelp(where, found) ?? (expected.includes("number") ? dateHelp(span) : undefined);
    if (special !== undefined) return special;
    const scalar = found === "number" || found === "integer" || found === "boolean";
    if (expected.every((name) => name === "string") && scalar) return "put it in quotes";
    if (expected[0] === "array") return "write a list: `[…]`, or lines that start with `- `";
    return expected[0] === "object"
      ? "write a mapping: lines of `key: value`"
      : `write ${expected.map((name) => WORDS[name]).join(" or ")}`;
  },
});
