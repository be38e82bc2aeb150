import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A pattern that does not parse matches nothing. */
export const badRegex = defineProblemRule("bad_regex", {
  what: "A regular expression does not parse.",
  why: "A pattern that does not parse matches nothing, so its rule could not be judged.",
  mend: "Correct the pattern; the syntax is that of ECMAScript in Unicode mode, and YAML wants single quotes around backslashes.",
  message: ({ regex, problem }) => `${quoted(regex)} is not a regular expression: ${problem.message}`,
  help: () => "the syntax is ECMAScript's in Unicode mode; in YAML, put patterns in single quotes",
});
