import { quoted } from "../../../diagnostics/wording.js";
import { defineSchemaRule } from "./schema-rule.js";

/** A pattern of a schema is matched by the same engine as one of a contract. */
export const unsupportedSchemaPattern = defineSchemaRule("unsupported_schema_pattern", {
  severity: "error",
  what: "A `pattern` in the JSON Schema of a tool cannot be matched in linear time, or does not parse.",
  why: "Arguments are chosen by a model; one of them must not be able to stall the guard.",
  fix: "Rewrite the pattern, or exclude its path with `schema_derived_exclude` and write your own check.",
  message: ({ pattern, problem }) =>
    problem.kind === "syntax"
      ? `${quoted(pattern)} is not a regular expression: ${problem.message}`
      : `${quoted(pattern)} has a construct that is not supported: ${problem.construct}`,
  help: ({ path }) =>
    path === null
      ? "rewrite the pattern"
      : `rewrite it, or add ${quoted(path)} to \`schema_derived_exclude\` of the contract`,
});
