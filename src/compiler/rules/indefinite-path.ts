import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A slot, a stage and an entity hold one value. */
export const indefinitePath = defineProblemRule("indefinite_path", {
  what: "A path that must name one value may match several.",
  why: "A slot, an envelope stage and an entity each hold one value; which of several was meant cannot be known.",
  mend: "Use names and indices only.",
  message: ({ path }) => `${quoted(path)} may match several values; here it must name one`,
  help: () => "use names and indices only, such as `$.items[0].id`",
});
