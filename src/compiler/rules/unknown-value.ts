import { suggest } from "../../base/suggest.js";
import { listed, quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A word outside the list has no meaning the guard could follow. */
export const unknownValue = defineProblemRule("unknown_value", {
  what: "A field has a value outside its fixed set.",
  why: "A word outside the set has no meaning that the guard could follow.",
  mend: "Use one of the listed values.",
  message: ({ where, found, known, others }) =>
    `${quoted(where)} must be ${listed(known)}${others.includes("array") ? " or a list" : ""}, found ${quoted(found)}`,
  help({ found, known }) {
    const meant = suggest(found, known);
    return meant === undefined ? `write ${listed(known)}` : `did you mean ${quoted(meant)}?`;
  },
});
