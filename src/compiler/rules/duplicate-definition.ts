import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Which of two schemas is meant cannot be known. */
export const duplicateDefinition = defineProblemRule("duplicate_definition", {
  what: "The tool definitions define one tool twice.",
  why: "Which of the two schemas is meant cannot be known.",
  mend: "Keep one definition a tool.",
  message: ({ tool }) => `tool ${quoted(tool)} is defined twice`,
  help: () => "keep one of the definitions",
  related: ({ first }) => [{ span: first, message: "it is defined here first" }],
});
