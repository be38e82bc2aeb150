import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A default for a safety decision would be ours, not the author's. */
export const missingField = defineProblemRule("missing_field", {
  what: "A mapping lacks a required field.",
  why: "A required field is a decision about safety that the compiler must not make for its author.",
  mend: "Add the field.",
  message: ({ field, where }) =>
    `${where === "" ? "the file" : quoted(where)} lacks the required field ${quoted(field)}`,
  help: ({ field }) => `add \`${field}:\``,
});
