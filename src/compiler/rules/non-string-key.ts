import { defineProblemRule } from "../rule.js";

/** A key of another type could not be told from its text in JSON. */
export const nonStringKey = defineProblemRule("non_string_key", {
  what: "A key of a mapping is not a string.",
  why: "Contracts are JSON data, and JSON has string keys only.",
  mend: "Put the key in quotes.",
  message: ({ found }) => `keys are strings, found ${found}`,
  help: () => "write a word, in quotes where it is not plain text",
});
