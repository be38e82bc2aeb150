import { describe } from "vitest";
import {
  type AcceptedPack,
  filled,
  type RefusedPack,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";

const ROOM = 1_000_000;

function withInvariant(fields: Readonly<Record<string, string>>): string {
  const entry = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return toolText({ assertions: `{ input_invariants: [{ ${entry.join(", ")} }], output_invariants: [] }` });
}

function withRegex(what: string, regex: () => string): AcceptedPack {
  return { what, files: () => ({ "t.yaml": withInvariant({ path: "$.a", regex: regex() }) }) };
}

function withPath(what: string, path: () => string): AcceptedPack {
  return { what, files: () => ({ "t.yaml": withInvariant({ path: path(), equals: "x" }) }) };
}

const refusedRegex = (what: string, code: string, regex: () => string): RefusedPack => ({
  ...withRegex(what, regex),
  code,
});
const refusedPath = (what: string, code: string, path: () => string): RefusedPack => ({
  ...withPath(what, path),
  code,
});

describe("patterns that would stall a backtracking engine", () => {
  testAccepted([
    withRegex("nested repetition", () => "(a+)+$"),
    withRegex("thrice nested repetition", () => "(((a+)+)+)+$"),
    withRegex("overlapping choices", () => "^(a|a|a)*$"),
    withRegex("overlapping classes", () => "^(\\w+\\d*)*\\s*$"),
    withRegex("many stars in a row", () => "a*".repeat(100)),
    withRegex("two hundred nested groups", () => `${"(".repeat(200)}a${")".repeat(200)}`),
    withRegex("two hundred nested stars", () => `${"(?:".repeat(199)}a${")*".repeat(199)}`),
    withRegex("many unicode properties", () => "(?:\\p{L}|\\p{N}|\\p{P}|\\p{S}|\\p{Script=Han}|\\p{Emoji})+"),
    withRegex("half a surrogate", () => "[\ud800-\udbff]"),
    withRegex("an empty pattern", () => ""),
  ]);
});

describe("patterns beyond every limit", () => {
  testRefused([
    refusedRegex("a hundred thousand open groups", "unsupported_regex", () => "(".repeat(100_000)),
    refusedRegex("five thousand nested groups", "unsupported_regex", () => "(".repeat(4900) + ")".repeat(4900)),
    refusedRegex("three thousand nested groups without capture", "unsupported_regex", () => "(?:".repeat(3000)),
    refusedRegex("a hundred thousand brackets", "unsupported_regex", () => "[".repeat(100_000)),
    refusedRegex("a pattern of a megabyte", "unsupported_regex", () => "a".repeat(ROOM)),
    refusedRegex("a million nested repetitions", "unsupported_regex", () => "(a{1000}){1000}"),
    refusedRegex("counts that multiply", "unsupported_regex", () => "(((a{0,100}){0,100}){0,100}){0,100}"),
    refusedRegex(
      "two hundred counts that multiply",
      "unsupported_regex",
      () => `${"(?:".repeat(199)}a${"){0,2}".repeat(199)}`,
    ),
    refusedRegex("a thousand overlapping choices", "unsupported_regex", () => "(a|a)*".repeat(1000)),
    refusedRegex("five thousand choices", "unsupported_regex", () => "a|".repeat(4999)),
    refusedRegex("two thousand unicode properties", "unsupported_regex", () => "\\p{L}".repeat(2000)),
    refusedRegex("lookahead", "unsupported_regex", () => "(?=a)b"),
    refusedRegex("lookbehind", "unsupported_regex", () => "(?<!a)b"),
    refusedRegex("a backreference", "unsupported_regex", () => "(a+)\\1"),
    refusedRegex("ten thousand stars", "bad_regex", () => "*".repeat(9999)),
    refusedRegex("an odd number of backslashes", "bad_regex", () => "\\".repeat(9999)),
    refusedRegex("an open class", "bad_regex", () => "[a-"),
    refusedRegex("a range that runs backwards", "bad_regex", () => "[z-a]"),
  ]);
});

describe("paths of a megabyte", () => {
  testAccepted([
    withPath("one long name", () => `$.${"a".repeat(ROOM)}`),
    withPath("one long quoted name", () => `$['${"a".repeat(ROOM)}']`),
    withPath("hundred thousand names", () => `$${".a".repeat(100_000)}`),
    withPath("hundred thousand indices", () => `$${"[0]".repeat(100_000)}`),
    withPath("hundred thousand wildcards", () => `$${"[*]".repeat(100_000)}`),
    withPath("hundred thousand descents", () => `$${"..a".repeat(100_000)}`),
    withPath("hundred thousand indices in one bracket", () => `$[${"0,".repeat(100_000)}0]`),
    withPath("half a surrogate", () => "$.a['\ud800']"),
  ]);

  testRefused([
    refusedPath("a path of dots", "bad_path", () => `$${".".repeat(ROOM)}`),
    refusedPath("a path of spaces", "bad_path", () => `$${" ".repeat(ROOM)}`),
    refusedPath("an index of a million digits", "bad_path", () => `$[${"9".repeat(ROOM)}]`),
    refusedPath("a quoted name that never closes", "bad_path", () => `$['${"a".repeat(ROOM)}`),
    refusedPath("a bracket that never closes", "bad_path", () => `$[${filled("'a',", ROOM)}`),
    refusedPath("half a million open filters", "path_filter", () => `$[?${"(".repeat(ROOM / 2)}`),
    refusedPath("a path that starts anywhere", "bad_path", () => "a".repeat(ROOM)),
  ]);
});
