import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** The platforms that run the tools accept no other names. */
export const badToolName = defineProblemRule("bad_tool_name", {
  what: "A tool name breaks the grammar of tool names.",
  why: "The platforms that run the tools accept no other names, so the rule could never match a call.",
  mend: "Use a letter or underscore, then up to 127 letters, digits, underscores or hyphens.",
  message: ({ name }) => `${quoted(name)} is not a tool name`,
  help: () => "a tool name is a letter or `_`, then up to 127 letters, digits, `_` or `-`",
});
