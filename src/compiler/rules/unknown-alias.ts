import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** An alias without its anchor has no value. */
export const unknownAlias = defineProblemRule("unknown_alias", {
  what: "An alias has no anchor of that name before it.",
  why: "Without the anchor the value is not known.",
  mend: "Define the anchor (`&name`) above, or put the text in quotes if the `*` is meant literally.",
  message: ({ name }) => `no anchor ${quoted(name)} stands before this alias`,
  help: ({ name }) => `define \`&${name}\` above, or quote the text if the \`*\` is meant literally`,
});
