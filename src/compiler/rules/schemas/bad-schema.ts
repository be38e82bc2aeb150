import { defineSchemaRule } from "./schema-rule.js";

/** A malformed schema would check something different from what its author meant. */
export const badSchema = defineSchemaRule("bad_schema", {
  severity: "error",
  what: "The JSON Schema of a tool is malformed.",
  why: "It would check something different from what its author meant, or nothing.",
  fix: "Correct the schema at the place shown.",
  message: ({ message }) => message,
  help: () => "correct the JSON Schema here",
});
