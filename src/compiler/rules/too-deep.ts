import { defineProblemRule } from "../rule.js";

/** Deep nesting exhausts the stack of whatever walks it. */
export const tooDeep = defineProblemRule("too_deep", {
  what: "A file is nested more than 100 levels deep.",
  why: "No contract needs it, and such input can exhaust the stack of any program that walks it.",
  mend: "Flatten the value.",
  message: () => "the value is nested more than 100 levels deep",
  help: () => "flatten it",
});
