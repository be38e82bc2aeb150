import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Only `.yaml` is read, so a `.yml` would be a contract that nobody enforces. */
export const wrongExtension = defineProblemRule("wrong_extension", {
  what: "A YAML file ends in something else than `.yaml`.",
  why: "Only `.yaml` files are contracts; a file that merely looks like one would never be enforced.",
  mend: "Rename the file so that it ends in `.yaml`.",
  message: ({ name }) => `${quoted(name)} is not read: contracts end in \`.yaml\``,
  help: ({ name }) => `rename it to ${quoted(name.replace(/\.[^.]*$/, ".yaml"))}`,
});
