import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A limit that cannot be met or has no effect is a mistake. */
export const outOfRange = defineProblemRule("out_of_range", {
  what: "A number is outside the range of its field.",
  why: "Such a number could never be met, or would have no effect.",
  mend: "Use a number within the range.",
  message: ({ where, found, bound }) => `${quoted(where)} must be ${bound}, found ${found}`,
  help: ({ bound }) => `write a number that is ${bound}`,
});
