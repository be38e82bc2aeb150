import { defineProblemRule } from "../rule.js";

/** Nested aliases grow exponentially when expanded. */
export const tooManyAliases = defineProblemRule("too_many_aliases", {
  what: "A file uses more than 100 aliases, or they expand to more than 100,000 values.",
  why: "Nested aliases grow exponentially, which can exhaust the memory of whoever expands them.",
  mend: "Write the values out.",
  message: ({ what }) => `the file has ${what}`,
  help: () => "write the values out",
});
