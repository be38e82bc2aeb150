import { timeZones } from "../../../base/time-zone.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { problemRule } from "../../problem-rule.js";

/** What can be wrong with a text that has its own grammar: names, statuses, paths, patterns, tool definitions. */
export const WORD_PROBLEMS = [
  // The platforms that run the tools accept no other names.
  problemRule("bad_tool_name", {
    what: "A tool name breaks the grammar of tool names.",
    why: "The platforms that run the tools accept no other names, so the rule could never match a call.",
    fix: "Use a letter or underscore, then up to 127 letters, digits, underscores or hyphens.",
    message: ({ name }) => `${quoted(name)} is not a tool name`,
    help: () => "a tool name is a letter or `_`, then up to 127 letters, digits, `_` or `-`",
  }),
  // A token that matches no error is an expectation that never holds.
  problemRule("bad_status", {
    what: "An HTTP status or error token can match no error.",
    why: "The retry or the expected error it describes would never happen.",
    fix: 'Write a status from "100" to "599", a class such as "5xx", or an error code.',
    message: ({ found, codesToo }) =>
      `${quoted(found)} is ${codesToo ? "neither an HTTP status nor an error code" : "not an HTTP status"}`,
    help: ({ codesToo }) =>
      `write a status such as "429"${codesToo ? ', a class such as "5xx", or an error code such as `timeout`' : ' or a class such as "5xx"; an error code goes into `code`'}`,
  }),
  // A pattern that cannot be read would never stop a request.
  problemRule("bad_provider_pattern", {
    what: "A provider pattern cannot be read.",
    why: "It would never match a request, so the incompatible request would be sent.",
    fix: "Write terms joined by ` + `, each a parameter, a `parameter=value` or a model name.",
    message: ({ found, message }) => `${quoted(found)} is not a provider pattern: ${message}`,
    help: () => "write terms joined by ` + `, each a parameter, a `parameter=value` or a model name",
  }),
  // A time that is read in an unknown zone is no time.
  problemRule("unknown_timezone", {
    what: "`timezone` is not the IANA name of a time zone.",
    why: "Times without an offset are read there, so rules about them could not be judged.",
    fix: "Write a name of the time zone database, such as `Europe/Lisbon`, or `UTC`.",
    message: ({ found }) => `${quoted(found)} is not the name of a time zone`,
    help: ({ found }) => didYouMean(found, timeZones(), "write an IANA name such as `Europe/Lisbon`, or `UTC`"),
  }),
  // A path that does not parse finds nothing.
  problemRule("bad_path", {
    what: "A path is not a JSONPath of RFC 9535.",
    why: "A path that does not parse finds no value, so its rule could not be judged.",
    fix: "Start with `$`, then `.name`, `['any name']`, `[0]`, `[1:3]`, `[*]` or `..name`.",
    message: ({ path, problem }) => `${quoted(path)} is not a JSONPath: ${problem.message}`,
    help: () => "start with `$`, then `.name`, `['any name']`, `[0]`, `[*]` or `..name`",
  }),
  // Filters and scripts are code inside data.
  problemRule("path_filter", {
    what: "A path uses a filter, a script or a function.",
    why: "Those are code inside data: their cost and effect cannot be bounded or reviewed.",
    fix: "Use names, indices, slices, `*` and `..` only; several entries can replace a filter.",
    message: ({ path }) => `${quoted(path)} uses a filter, script or function`,
    help: () => "use names, indices, slices, `*` and `..` only",
  }),
  // A slot, a stage and an entity hold one value.
  problemRule("indefinite_path", {
    what: "A path that must name one value may match several.",
    why: "A slot, an envelope stage and an entity each hold one value; which of several was meant cannot be known.",
    fix: 'Use names and indices only; a bind may also give each match a key of its own, such as `key: "@.id"`, or have `collect: union`.',
    message: ({ path }) => `${quoted(path)} may match several values; here it must name one`,
    help: ({ isBind }) =>
      `use names and indices only, such as \`$.items[0].id\`${isBind ? '; or give each match a key, such as `key: "@.id"`, or write `collect: union`' : ""}`,
  }),
  // A pattern that does not parse matches nothing.
  problemRule("bad_regex", {
    what: "A regular expression does not parse.",
    why: "A pattern that does not parse matches nothing, so its rule could not be judged.",
    fix: "Correct the pattern; the syntax is that of ECMAScript in Unicode mode, and in YAML, patterns with backslashes need single quotes.",
    message: ({ regex, problem }) => `${quoted(regex)} is not a regular expression: ${problem.message}`,
    help: () => "the syntax is ECMAScript's in Unicode mode; in YAML, put patterns in single quotes",
  }),
  // Only patterns that match in linear time may judge what a model wrote.
  problemRule("unsupported_regex", {
    what: "A regular expression uses a construct that is not supported.",
    why: "Every pattern must match in linear time: arguments are chosen by a model, and with lookaround or backreferences one of them could stall the guard.",
    fix: "Rewrite the pattern without the construct; several entries on one path can replace a lookahead.",
    message: ({ regex, problem }) => `${quoted(regex)} has a construct that is not supported: ${problem.construct}`,
    help: () => "rewrite it without the construct; several entries on one path must all hold",
  }),
  // A definition that is not understood would drop its schema checks.
  problemRule("bad_tool_definition", {
    what: "An entry of the tool definitions has none of the known shapes.",
    why: "The arguments of that tool could not be checked against its schema.",
    fix: "Use the shape of OpenAI functions, of Anthropic or MCP tools, or of a Pipelines `tools_schema`.",
    message: ({ message }) => message,
    help: () =>
      "use `{ name, input_schema }`, `{ name, inputSchema }`, `{ name, parameters }` or `{ type: function, function: { name, parameters } }`",
  }),
  // Which of two schemas is meant cannot be known.
  problemRule("duplicate_definition", {
    what: "The tool definitions define one tool twice.",
    why: "Which of the two schemas is meant cannot be known.",
    fix: "Keep one definition per tool.",
    message: ({ tool }) => `tool ${quoted(tool)} is defined twice`,
    help: () => "keep one of the definitions",
    related: ({ first }) => [{ span: first, message: "it is defined here first" }],
  }),
];
