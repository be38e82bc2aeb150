import { quoted } from "../../diagnostics/wording.js";
import { VERSIONS } from "../../operators/operator.js";
import { defineProblemRule } from "../rule.js";

/** Another version may give the same words another meaning. */
export const unsupportedVersion = defineProblemRule("unsupported_version", {
  what: '`schema_version` is neither the string "1.0" nor "1.1".',
  why: "Another version could give the same words another meaning; unquoted, YAML reads a number and not a version.",
  mend: 'Write `schema_version: "1.0"`, or "1.1" for its additions, with the quotes.',
  message: ({ found, unquoted }) =>
    unquoted
      ? `\`schema_version\` must be a string, found the number ${quoted(found)}`
      : `version ${quoted(found)} is not supported`,
  help: ({ found }) =>
    `write \`schema_version: "${VERSIONS.find((version) => version === found) ?? "1.0"}"\`, with the quotes`,
});
