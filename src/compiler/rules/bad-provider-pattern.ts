import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A pattern that cannot be read would never stop a request. */
export const badProviderPattern = defineProblemRule("bad_provider_pattern", {
  what: "A provider pattern cannot be read.",
  why: "It would never match a request, so the incompatible request would be sent.",
  mend: "Write terms joined by ` + `, each a parameter, a `parameter=value` or a model name.",
  message: ({ found, message }) => `${quoted(found)} is not a provider pattern: ${message}`,
  help: () => "write terms joined by ` + `, each a parameter, a `parameter=value` or a model name",
});
