import { defineProblemRule } from "../rule.js";

/** What does not parse cannot be judged. */
export const yamlSyntax = defineProblemRule("yaml_syntax", {
  what: "A file is not valid YAML 1.2.",
  why: "Nothing of a file that does not parse can be enforced.",
  mend: "Correct the YAML at the place shown; most often it is the indentation, a missing quote or a missing colon.",
  message: ({ message }) => message,
  help: ({ help }) => help,
});
