import { defineProblemRule } from "../rule.js";

/** Tool definitions that do not parse would silently drop the schema checks. */
export const jsonSyntax = defineProblemRule("json_syntax", {
  what: "The tool definitions are not valid JSON.",
  why: "Without the definitions no argument could be checked against its schema.",
  mend: "Correct the JSON at the place shown: no comments, no trailing commas, double quotes only.",
  message: ({ message }) => `not valid JSON: ${message}`,
  help: () => "JSON has no comments and no trailing commas, and its strings stand in double quotes",
});
