import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A path that does not parse finds nothing. */
export const badPath = defineProblemRule("bad_path", {
  what: "A path is not a JSONPath of RFC 9535.",
  why: "A path that does not parse finds no value, so its rule could not be judged.",
  mend: "Start with `$`, then `.name`, `['any name']`, `[0]`, `[1:3]`, `[*]` or `..name`.",
  message: ({ path, problem }) => `${quoted(path)} is not a JSONPath: ${problem.message}`,
  help: () => "start with `$`, then `.name`, `['any name']`, `[0]`, `[*]` or `..name`",
});
