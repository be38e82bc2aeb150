import { quoted } from "../../../diagnostics/wording.js";
import { defineSchemaRule } from "./schema-rule.js";

/** A keyword that the guard cannot evaluate must not look as if it were enforced. */
export const unsupportedSchemaKeyword = defineSchemaRule("unsupported_schema_keyword", {
  severity: "error",
  what: "The JSON Schema of a tool uses a keyword that the guard cannot evaluate.",
  why: "Ignoring it would allow arguments that the schema forbids.",
  fix: "Express the same with other keywords, such as `additionalProperties` for `unevaluatedProperties`.",
  message: ({ keyword }) =>
    keyword === "$ref"
      ? "a `$ref` that leads out of the schema cannot be followed"
      : `the schema keyword ${quoted(keyword)} is not supported`,
  help: ({ help }) => help,
});
