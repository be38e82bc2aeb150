import { defineProblemRule } from "../rule.js";

/** A limit keeps a mistaken or hostile file from stalling CI. */
export const fileTooLarge = defineProblemRule("file_too_large", {
  what: "A file of the pack is larger than 1 MiB.",
  why: "No contract needs that much text, and the limit keeps a mistaken or hostile file from stalling the compiler.",
  mend: "Split the file, or check whether it belongs in the pack at all.",
  message: ({ bytes }) => `the file has ${bytes} bytes; at most 1048576 are read`,
  help: () => "check whether the file belongs in the pack",
});
