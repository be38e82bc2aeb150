import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Only patterns that match in linear time may judge what a model wrote. */
export const unsupportedRegex = defineProblemRule("unsupported_regex", {
  what: "A regular expression uses a construct that cannot be matched in linear time.",
  why: "Arguments are chosen by a model; a pattern with lookaround or backreferences lets one argument stall the guard.",
  mend: "Rewrite the pattern without the construct; several entries on one path can replace a lookahead.",
  message: ({ regex, problem }) => `${quoted(regex)} uses ${problem.construct}, which cannot be matched in linear time`,
  help: () => "rewrite it without; several entries on one path must all hold",
});
