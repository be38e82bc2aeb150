import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A rounded limit is another limit. */
export const impreciseNumber = defineProblemRule("imprecise_number", {
  what: "A number is not finite, or too large to be held exactly.",
  why: "It would be rounded, and a rounded limit is another limit than the one written.",
  mend: "Use a number up to 9007199254740991, or a quoted string for an identifier.",
  message: ({ text }) => `${quoted(text)} cannot be held exactly`,
  help: () => "use a number up to 9007199254740991, or quote it if it is an identifier",
});
