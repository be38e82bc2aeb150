import { type AST, RegExpParser, RegExpSyntaxError } from "@eslint-community/regexpp";
import { type RegexProblem, unsupported } from "./regex-problem.js";

const MAX_SOURCE_LENGTH = 10_000;
/** regexpp and every pass here recurse once per group, so this bounds their stack. */
const MAX_GROUP_DEPTH = 200;

/** A well-formed pattern of ECMAScript 2025 `u` mode, or why it is not one. */
export type PatternResult =
  | { readonly ok: true; readonly pattern: AST.Pattern }
  | { readonly ok: false; readonly problem: RegexProblem };

let parser: RegExpParser | undefined;

/** Parses a pattern after cheap limits, so that no source, however long or deep, costs time or stack. */
export function readPattern(source: string): PatternResult {
  const excess = findExcess(source);
  if (excess !== undefined) return { ok: false, problem: excess };
  // 2025 is newer than Node 20 runs, so that its additions are rejected by name and not as a syntax error.
  parser ??= new RegExpParser({ ecmaVersion: 2025 });
  try {
    return { ok: true, pattern: parser.parsePattern(source, 0, source.length, { unicode: true, unicodeSets: false }) };
  } catch (cause) {
    if (!(cause instanceof RegExpSyntaxError)) throw cause;
    const raw = cause.message.slice(`Invalid regular expression: /${source}/u: `.length);
    return { ok: false, problem: { kind: "syntax", message: reword(raw), offset: cause.index } };
  }
}

function findExcess(source: string): RegexProblem | undefined {
  if (source.length > MAX_SOURCE_LENGTH) {
    const span = { start: MAX_SOURCE_LENGTH, end: source.length };
    return unsupported(`pattern longer than ${MAX_SOURCE_LENGTH} characters`, span);
  }
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const unit = source[at];
    // What this scan misreads, such as `\k<[>`, the parser rejects at that point, before it can recurse further.
    if (unit === "\\") at++;
    else if (unit === "[") inClass = true;
    else if (unit === "]") inClass = false;
    else if (unit === ")" && !inClass) depth--;
    else if (unit === "(" && !inClass && ++depth > MAX_GROUP_DEPTH) {
      return unsupported(`groups nested deeper than ${MAX_GROUP_DEPTH}`, { start: at, end: at + 1 });
    }
  }
  return undefined;
}

/** The parser's messages that only state "invalid", with better ones that state what is valid. */
const CLEARER = new Map([
  ["Invalid escape", "unknown escape; a backslash must come before a syntax character or a letter such as `d` or `n`"],
  ["Invalid group", "unknown kind of group; known are `(…)`, `(?:…)` and `(?<name>…)`"],
  ["Invalid capture group name", "group name must be an identifier followed by `>`"],
  ["Invalid named reference", "`\\k` must be followed by a group name in `<>`"],
  ["Invalid named capture referenced", "reference to a group that does not exist"],
  ["Invalid property name", "unknown unicode property"],
  ["Invalid unicode escape", "unicode escape must be `\\uXXXX` or `\\u{X…}` with at most 10FFFF"],
  ["Invalid character class", "a range in a class must begin and end with a single character"],
  ["Invalid empty flags", "flags of a group are empty"],
]);

function reword(message: string): string {
  return CLEARER.get(message) ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replaceAll("'", "`");
}
