import type { TypeName } from "../../../base/json.js";
import type { Span } from "../../../diagnostics/source.js";
import { didYouMean, listed, quoted } from "../../../diagnostics/wording.js";
import { VERSIONS } from "../../../operators/operator.js";
import { problemRule } from "../../problem-rule.js";

const WORDS: Readonly<Record<TypeName, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a mapping",
  array: "a list",
  null: "nothing",
};

/** Dates in other formats, which are ambiguous. */
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
  return `dates are texts, which have no order here: make the tool take the time as a number, such as seconds since 1970${example}, or match the text with \`regex\``;
}

/** What to write instead of a list where one tool is expected. */
function priorHelp(where: string, found: TypeName): string | undefined {
  if ((found !== "array" && found !== "object") || !where.endsWith(".requires_prior_tool")) return undefined;
  return "name one tool; where several must have been called, write an entry `- requires_prior_tool: name` for each";
}

/** What can be wrong with the shape of a contract: its keys, types and plain ranges. */
export const SHAPE_PROBLEMS = [
  // A default for a safety decision would be the compiler's choice, not the author's.
  problemRule("missing_field", {
    what: "A mapping lacks a required field.",
    why: "A required field is a decision about safety that the compiler must not make for its author.",
    fix: "Add the field.",
    message: ({ field, where }) =>
      `${where === "" ? "the file" : quoted(where)} lacks the required field ${quoted(field)}`,
    help: ({ field }) => `add \`${field}:\``,
  }),
  // A value of another type cannot mean what the field means.
  problemRule("wrong_type", {
    what: "A value does not have the type of its field.",
    why: "A value of another type cannot be judged, and guessing a conversion could change the rule.",
    fix: "Give a value of the expected type; a number or word that is meant as text needs quotes.",
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
  }),
  // A word outside the list has no meaning the guard could follow.
  problemRule("unknown_value", {
    what: "A field has a value outside its fixed set.",
    why: "A word outside the set has no meaning that the guard could follow.",
    fix: "Use one of the listed values.",
    message: ({ where, found, known, others }) =>
      `${quoted(where)} must be ${listed(known)}${others.includes("array") ? " or a list" : ""}, found ${quoted(found)}`,
    help: ({ found, known }) => didYouMean(found, known, `write ${listed(known)}`),
  }),
  // A limit that cannot be met or has no effect is a mistake.
  problemRule("out_of_range", {
    what: "A number is outside the range of its field.",
    why: "Such a number could never be met, or would have no effect.",
    fix: "Use a number within the range.",
    message: ({ where, found, bound }) => `${quoted(where)} must be ${bound}, found ${found}`,
    help: ({ bound }) => `write a number that is ${bound}`,
  }),
  // With an empty list or text the rule would either never or always hold.
  problemRule("empty_value", {
    what: "A list, mapping or text is empty where something is required.",
    why: "With an empty one the rule would either never hold or never fire.",
    fix: "Fill it, or remove the field where it is optional.",
    message: ({ where, what }) => `${quoted(where)} is an empty ${what}`,
    help: () => "fill it, or remove the field where it is optional",
  }),
  // A constraint needs a value to check and a value to compare it with.
  problemRule("too_few_stages", {
    what: "An envelope has fewer than two stages.",
    why: "A constraint across calls needs one value to set and one to check.",
    fix: "Add the stage that sets the reference, or the one that is constrained.",
    message: ({ found }) => `an envelope needs at least two stages, found ${found}`,
    help: () => "add the stage that sets the reference, or the one that is `constrained`",
  }),
  // Another version may give the same words another meaning.
  problemRule("unsupported_version", {
    what: '`schema_version` is neither the string "1.0" nor "1.1".',
    why: "Another version could give the same words another meaning; unquoted, YAML reads a number and not a version.",
    fix: 'Write `schema_version: "1.0"`, or "1.1" for its additions, with the quotes.',
    message: ({ found, unquoted }) =>
      unquoted
        ? `\`schema_version\` must be a string, found the number ${quoted(found)}`
        : `version ${quoted(found)} is not supported`,
    help: ({ found }) =>
      `write \`schema_version: "${VERSIONS.find((version) => version === found) ?? "1.0"}"\`, with the quotes`,
  }),
];
