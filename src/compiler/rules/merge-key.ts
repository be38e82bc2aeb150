import { defineProblemRule } from "../rule.js";

/** A merged key is a rule that a reader of the file does not see. */
export const mergeKey = defineProblemRule("merge_key", {
  what: "A mapping uses the YAML merge key `<<`.",
  why: "Merging is not part of YAML 1.2, and it hides rules from whoever reads the file.",
  mend: "Write the keys out; an alias for a whole value (`key: *name`) is fine.",
  message: () => "merge keys (`<<`) are not supported",
  help: () => "write the keys out",
});
