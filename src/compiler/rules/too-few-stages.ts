import { defineProblemRule } from "../rule.js";

/** A constraint needs a value to hold and a value to hold against. */
export const tooFewStages = defineProblemRule("too_few_stages", {
  what: "An envelope has fewer than two stages.",
  why: "A constraint across calls needs one value to set and one to check.",
  mend: "Add the stage that sets the reference, or the one that is constrained.",
  message: ({ found }) => `an envelope needs at least two stages, found ${found}`,
  help: () => "add the stage that sets the reference, or the one that is `constrained`",
});
