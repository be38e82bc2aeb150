import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Last one wins would drop the first block of rules without a word. */
export const duplicateKey = defineProblemRule("duplicate_key", {
  what: "A mapping sets the same key twice.",
  why: "Most YAML readers keep only the last one, which would silently drop every rule of the first.",
  mend: "Merge both blocks into one.",
  message: ({ key }) => `the key ${quoted(key)} is set twice`,
  help: () => "merge both into one",
  related: ({ first }) => [{ span: first, message: "it is set here first" }],
});
