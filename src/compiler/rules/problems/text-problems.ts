import { quoted } from "../../../diagnostics/wording.js";
import { problemRule } from "../../problem-rule.js";

/** What `!` is followed by in an expression, and in no tag. */
const IN_EXPRESSION = /^!+(?:\(|[a-z]+[.(])/;

/** What can be wrong with the YAML or JSON of a file, whatever its content. */
export const TEXT_PROBLEMS = [
  // What does not parse cannot be judged.
  problemRule("yaml_syntax", {
    what: "A file is not valid YAML 1.2.",
    why: "Nothing of a file that does not parse can be enforced.",
    fix: "Correct the YAML at the place shown; most often it is the indentation, a missing quote or a missing colon.",
    message: ({ message }) => message,
    help: ({ help }) => help,
  }),
  // Tool definitions that do not parse would silently drop the schema checks.
  problemRule("json_syntax", {
    what: "The tool definitions are not valid JSON.",
    why: "Without the definitions no argument could be checked against its schema.",
    fix: "Correct the JSON at the place shown: no comments, no trailing commas, double quotes only.",
    message: ({ message }) => `not valid JSON: ${message}`,
    help: () => "JSON has no comments and no trailing commas, and its strings are in double quotes",
  }),
  // Reading only the first document would drop the rules of the second.
  problemRule("several_documents", {
    what: "A file holds more than one YAML document.",
    why: "A contract is one document; reading only the first would silently drop the rules of the others.",
    fix: "Keep one document per file: remove the `---` line, or move what follows it to its own file.",
    message: () => "a second YAML document starts here; a contract file holds one",
    help: () => "remove the `---`, or move what follows to its own file",
  }),
  // Deep nesting exhausts the stack of whatever walks it.
  problemRule("too_deep", {
    what: "A file is nested more than 100 levels deep.",
    why: "No contract needs it, and such input can exhaust the stack of any program that walks it.",
    fix: "Flatten the value.",
    message: () => "the value is nested more than 100 levels deep",
    help: () => "flatten it",
  }),
  // Parsing time is bounded by bounding what is parsed.
  problemRule("too_many_tokens", {
    what: "A file has more than 100,000 YAML tokens.",
    why: "No contract needs that many, and the limit keeps hostile input from stalling the compiler.",
    fix: "Split the contract, or shorten its lists.",
    message: () => "the file has more than 100,000 YAML tokens",
    help: () => "shorten its lists, or check whether the file belongs in the pack",
  }),
  // Keeping only the last one would silently drop the rules of the first.
  problemRule("duplicate_key", {
    what: "A mapping sets the same key twice.",
    why: "Most YAML readers keep only the last one, which would silently drop every rule of the first.",
    fix: "Merge both blocks into one.",
    message: ({ key }) => `the key ${quoted(key)} is set twice`,
    help: () => "merge both into one",
    related: ({ first }) => [{ span: first, message: "it is set here first" }],
  }),
  // In JSON, a key of another type could not be distinguished from its text.
  problemRule("non_string_key", {
    what: "A key of a mapping is not a string.",
    why: "Contracts are JSON data, and JSON has string keys only.",
    fix: "Put the key in quotes.",
    message: ({ found }) => `keys are strings, found ${found}`,
    help: () => "write a word, in quotes where it is not plain text",
  }),
  // A merged key is a rule that a reader of the file does not see.
  problemRule("merge_key", {
    what: "A mapping uses the YAML merge key `<<`.",
    why: "Merging is not part of YAML 1.2, and it hides rules from a reader of the file.",
    fix: "Write the keys out; an alias for a whole value (`key: *name`) is fine.",
    message: () => "merge keys (`<<`) are not supported",
    help: () => "write the keys out",
  }),
  // Only its author knows how an unknown tag changes a value.
  problemRule("custom_tag", {
    what: "A value has a YAML tag outside the core schema.",
    why: "Only its author knows how such a tag changes the value, so the value cannot be judged.",
    fix: "Remove the tag and write the value plainly.",
    message: ({ tag }) => `the tag ${quoted(tag)} is not supported`,
    help: ({ tag }) =>
      IN_EXPRESSION.test(tag)
        ? "`!` begins a tag of YAML: put the expression into a block, `|` and the expression on the next line"
        : tag === "!"
          ? "remove the tag; an expression that begins with `!` is put into a block, `|` and the expression on the next line"
          : "remove the tag and write the value plainly",
  }),
  // An alias without its anchor has no value.
  problemRule("unknown_alias", {
    what: "An alias has no anchor of that name before it.",
    why: "Without the anchor the value is not known.",
    fix: "Define the anchor (`&name`) above, or put the text in quotes if the `*` is meant literally.",
    message: ({ name }) => `no anchor ${quoted(name)} is defined before this alias`,
    help: ({ name }) => `define \`&${name}\` above, or quote the text if the \`*\` is meant literally`,
  }),
  // A value that contains itself has no end.
  problemRule("alias_cycle", {
    what: "An alias is inside the value it refers to.",
    why: "Such a value contains itself and has no end.",
    fix: "Write the inner value out.",
    message: ({ name }) => `the alias ${quoted(name)} is inside its own anchor`,
    help: () => "write the inner value out",
  }),
  // Nested aliases grow exponentially when expanded.
  problemRule("too_many_aliases", {
    what: "A file uses more than 100 aliases, or they expand to more than 100,000 values.",
    why: "Nested aliases grow exponentially, which can exhaust the memory of a program that expands them.",
    fix: "Write the values out.",
    message: ({ what }) => `the file has ${what}`,
    help: () => "write the values out",
  }),
  // Defaults multiply what a pack says by the number of its tools.
  problemRule("too_many_defaults", {
    what: "The defaults that tools take are more than 500,000 values together.",
    why: "Each tool has the rules of the defaults that it takes, so many tools and long defaults exhaust the memory of the compiler.",
    fix: "Make the defaults shorter; long lists belong into the contracts that need them.",
    message: ({ most }) => `the defaults that tools take are more than ${most} values together`,
    help: () => "make them shorter: long lists belong into the contracts that need them",
  }),
  // A rounded limit is a different limit.
  problemRule("imprecise_number", {
    what: "A number is not finite, or has more digits than can be held exactly.",
    why: "It would be rounded, and a rounded limit is not the limit that was written.",
    fix: "Use a number of at most 15 digits, or a quoted string for an identifier.",
    message: ({ text }) =>
      `${quoted(text)} ${/inf|nan/i.test(text) ? "is not a finite number" : "cannot be held exactly"}`,
    help: () => "use a number of at most 15 digits, or quote it if it is an identifier",
  }),
];
