import { defineProblemRule } from "../rule.js";

/** A definition that is not understood would drop its schema checks. */
export const badToolDefinition = defineProblemRule("bad_tool_definition", {
  what: "An entry of the tool definitions has none of the known shapes.",
  why: "The arguments of that tool could not be checked against its schema.",
  mend: "Use the shape of OpenAI functions, of Anthropic or MCP tools, or of a Pipelines `tools_schema`.",
  message: ({ message }) => message,
  help: () =>
    "use `{ name, input_schema }`, `{ name, inputSchema }`, `{ name, parameters }` or `{ type: function, function: { name, parameters } }`",
});
