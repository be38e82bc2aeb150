import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A rounded limit is another limit. */
export const impreciseNumber = defineProblemRule("imprecise_number", {
  what: "A number is not finite, or has more digits than can be held exactly.",
  why: "It would be rounded, and a rounded limit is another limit than the one written.",
  mend: "Use a number of at most 15 digits, or a quoted string for an identifier.",
  message: ({ text }) =>
    `${quoted(text)} ${/inf|nan/i.test(text) ? "is not a finite number" : "cannot be held exactly"}`,
  help: () => "use a number of at most 15 digits, or quote it if it is an identifier",
});
