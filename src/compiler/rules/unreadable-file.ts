import { quoted } from "../../diagnostics/wording.js";
import { OUTSIDE } from "../../language/read-pack.js";
import { defineProblemRule } from "../rule.js";

/** A contract that cannot be read protects nothing, so it must not look as if it were there. */
export const unreadableFile = defineProblemRule("unreadable_file", {
  what: "A file of the pack cannot be read.",
  why: "A contract that cannot be read protects nothing, and leaving it out would go unnoticed.",
  mend: "Make the file a readable regular file, or remove it from the pack.",
  message: ({ span, cause }) => `${quoted(span.source.name)} cannot be read: ${cause}`,
  help: ({ cause }) =>
    cause === OUTSIDE
      ? "move it into the pack, or name a folder that holds both with `--root DIR`"
      : "make it a readable regular file, or remove it from the pack",
});
