import { quoted } from "../../../diagnostics/wording.js";
import { OUTSIDE } from "../../../language/read-pack.js";
import { problemRule } from "../../problem-rule.js";

/** What can be wrong with a file before anything in it is read. */
export const FILE_PROBLEMS = [
  // A contract that cannot be read protects nothing, so it must not be ignored.
  problemRule("unreadable_file", {
    what: "A file of the pack cannot be read.",
    why: "A contract that cannot be read protects nothing, and leaving it out would go unnoticed.",
    fix: "Make the file a readable regular file, or remove it from the pack.",
    message: ({ span, cause }) => `${quoted(span.source.name)} cannot be read: ${cause}`,
    help: ({ cause }) =>
      cause === OUTSIDE
        ? "move it into the pack, or name a folder that holds both with `--root DIR`"
        : "make it a readable regular file, or remove it from the pack",
  }),
  // Only `.yaml` is read, so a `.yml` would be a contract that is never enforced.
  problemRule("wrong_extension", {
    what: "A YAML file does not end in `.yaml`.",
    why: "Only `.yaml` files are contracts; a file that merely looks like one would never be enforced.",
    fix: "Rename the file so that it ends in `.yaml`.",
    message: ({ name }) => `${quoted(name)} is not read: contracts end in \`.yaml\``,
    help: ({ name }) => `rename it to ${quoted(name.replace(/\.[^.]*$/, ".yaml"))}`,
  }),
  // A limit keeps a mistaken or hostile file from stalling CI.
  problemRule("file_too_large", {
    what: "A file of the pack is larger than 1 MiB.",
    why: "No contract needs that much text, and the limit keeps a mistaken or hostile file from stalling the compiler.",
    fix: "Split the file, or check whether it belongs in the pack at all.",
    message: ({ bytes }) => `the file has ${bytes} bytes; at most 1048576 are read`,
    help: () => "check whether the file belongs in the pack",
  }),
  // Guessing another encoding could change a rule.
  problemRule("not_utf8", {
    what: "A file of the pack is not UTF-8 text.",
    why: "Guessing another encoding could change the words of a rule, and so its meaning.",
    fix: "Save the file as UTF-8; a byte order mark is fine.",
    message: ({ byte }) => `the file is not UTF-8 text: the first invalid byte is at ${byte}`,
    help: () => "save the file as UTF-8",
  }),
  // An empty folder is nearly always a wrong path.
  problemRule("empty_pack", {
    what: "The folder holds no contract at all.",
    why: "An empty pack guards nothing; most often the path is wrong.",
    fix: "Pass the folder with the `{tool}.yaml` files.",
    message: () => "the folder holds no `.yaml` file",
    help: () => "pass the folder with the `{tool}.yaml` files",
  }),
];
