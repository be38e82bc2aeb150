import { quoted } from "../../../diagnostics/wording.js";
import { defineSchemaRule } from "./schema-rule.js";

/** A keyword without effect must be reported as such. */
export const unenforcedSchemaKeyword = defineSchemaRule("unenforced_schema_keyword", {
  severity: "warning",
  what: "The JSON Schema of a tool has a keyword that constrains nothing.",
  why: "JSON Schema treats `format` as an annotation and ignores unknown keywords; a reader may think it is enforced.",
  fix: "Use `pattern` or another check instead; custom keywords start with `x-`.",
  message: ({ keyword }) => `the schema keyword ${quoted(keyword)} is not enforced`,
  help: ({ keyword, suggestion }) => {
    if (suggestion !== undefined) return `did you mean ${quoted(suggestion)}?`;
    return keyword === "format"
      ? "add a `pattern`, or a `regex` in the contract"
      : "remove it; custom keywords start with `x-`";
  },
});
