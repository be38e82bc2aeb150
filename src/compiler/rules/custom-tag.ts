import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** An unknown tag changes a value in a way only its author knows. */
export const customTag = defineProblemRule("custom_tag", {
  what: "A value has a YAML tag outside the core schema.",
  why: "What such a tag makes of the value is known to its author only, so the value cannot be judged.",
  mend: "Remove the tag and write the value plainly.",
  message: ({ tag }) => `the tag ${quoted(tag)} is not supported`,
  help: () => "remove the tag and write the value plainly",
});
