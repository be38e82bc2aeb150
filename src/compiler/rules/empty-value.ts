import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** An empty list or text says nothing, so the rule would either never or always hold. */
export const emptyValue = defineProblemRule("empty_value", {
  what: "A list, mapping or text is empty where something must stand.",
  why: "An empty one says nothing: the rule would either never hold or never fire.",
  mend: "Fill it, or remove the field where it is optional.",
  message: ({ where, what }) => `${quoted(where)} is an empty ${what}`,
  help: () => "fill it, or remove the field where it is optional",
});
