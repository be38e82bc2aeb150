import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Only patterns that match in linear time may judge what a model wrote. */
export const unsupportedRegex = defineProblemRule("unsupported_regex", {
  what: "A regular expression uses a construct that is not supported.",
  why: "Every pattern must match in linear time: arguments are chosen by a model, and with lookaround or backreferences one of them could stall the guard.",
  mend: "Rewrite the pattern without the construct; several entries on one path can replace a lookahead.",
  message: ({ regex, problem }) => `${quoted(regex)} has a construct that is not supported: ${problem.construct}`,
  help: () => "rewrite it without; several entries on one path must all hold",
});
