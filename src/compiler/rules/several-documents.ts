import { defineProblemRule } from "../rule.js";

/** Reading only the first document would drop the rules of the second. */
export const severalDocuments = defineProblemRule("several_documents", {
  what: "A file holds more than one YAML document.",
  why: "A contract is one document; reading only the first would silently drop the rules of the others.",
  mend: "Keep one document a file: remove the `---` line, or move what follows it to a file of its own.",
  message: () => "a second YAML document starts here; a contract file holds one",
  help: () => "remove the `---`, or move what follows to its own file",
});
