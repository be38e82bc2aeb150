import { defineProblemRule } from "../rule.js";

/** Parsing time is bounded by bounding what is parsed. */
export const tooManyTokens = defineProblemRule("too_many_tokens", {
  what: "A file has more than 100,000 YAML tokens.",
  why: "No contract needs that many, and the limit keeps hostile input from stalling the compiler.",
  mend: "Split the contract, or shorten its lists.",
  message: () => "the file has more than 100,000 YAML tokens",
  help: () => "shorten its lists, or check whether the file belongs in the pack",
});
