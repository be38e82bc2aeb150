import { defineProblemRule } from "../rule.js";

/** Guessing another encoding could change what a rule says. */
export const notUtf8 = defineProblemRule("not_utf8", {
  what: "A file of the pack is not UTF-8 text.",
  why: "Guessing another encoding could change the words of a rule, and so its meaning.",
  mend: "Save the file as UTF-8; a byte order mark is fine.",
  message: ({ byte }) => `the file is not UTF-8 text: it goes wrong at byte ${byte}`,
  help: () => "save the file as UTF-8",
});
