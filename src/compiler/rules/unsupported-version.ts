import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Another version may give the same words another meaning. */
export const unsupportedVersion = defineProblemRule("unsupported_version", {
  what: '`schema_version` is not the string "1.0".',
  why: "Another version could give the same words another meaning; unquoted, YAML reads a number and not a version.",
  mend: 'Write `schema_version: "1.0"`, with the quotes.',
  message: ({ found, unquoted }) =>
    unquoted
      ? `\`schema_version\` must be a string, found the number ${quoted(found)}`
      : `version ${quoted(found)} is not supported`,
  help: () => 'write `schema_version: "1.0"`, with the quotes',
});
