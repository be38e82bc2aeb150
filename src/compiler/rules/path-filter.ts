import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** Filters and scripts are code inside data. */
export const pathFilter = defineProblemRule("path_filter", {
  what: "A path uses a filter, a script or a function.",
  why: "Those are code inside data: their cost and effect cannot be bounded or reviewed.",
  mend: "Use names, indices, slices, `*` and `..` only; several entries can say what one filter said.",
  message: ({ path }) => `${quoted(path)} uses a filter, script or function`,
  help: () => "use names, indices, slices, `*` and `..` only",
});
