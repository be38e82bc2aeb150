import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A value that contains itself has no end. */
export const aliasCycle = defineProblemRule("alias_cycle", {
  what: "An alias stands inside the value it refers to.",
  why: "Such a value contains itself and has no end.",
  mend: "Write the inner value out.",
  message: ({ name }) => `the alias ${quoted(name)} stands inside its own anchor`,
  help: () => "write the inner value out",
});
