import { defineProblemRule } from "../rule.js";

/** An empty folder is nearly always a wrong path. */
export const emptyPack = defineProblemRule("empty_pack", {
  what: "The folder holds no contract at all.",
  why: "An empty pack guards nothing; most often the path is wrong.",
  mend: "Give the folder that holds the `{tool}.yaml` files.",
  message: () => "the folder holds no `.yaml` file",
  help: () => "give the folder that holds the `{tool}.yaml` files",
});
