import { describe, expect, it } from "vitest";
import { parseRegex } from "../../../../src/language/regex/parse-regex.js";
import { timed } from "../../../support/processor-time.js";

describe("parseRegex", () => {
  it.each([
    ["^[a-z]+$", "native"],
    ["^\\d{4}-\\d{2}-\\d{2}$", "native"],
    ["^https://", "native"],
    ["secret", "native"],
    ["", "native"],
    ["^(?<user>[^@]+)@example\\.com$", "native"],
    ["(a+)+$", "counted"],
    ["(a|a)*b", "counted"],
    ["(a|aa)+$", "counted"],
    ["a*a*b", "counted"],
    ["x*y", "counted"],
    ["^(a|b|ab)*c$", "counted"],
    ["\\s+$", "counted"],
    ["^(\\w+\\s?)*$", "counted"],
    ["^(?:GET|POST|PUT)$", "counted"],
    ["\\.(?:exe|dll)$", "native"],
    ["(?:x{31}){32}y", "counted"],
    ["[a-z]{1,1000}!", "counted"],
  ])("runs %s on the %s engine", (source, engine) => {
    const result = parseRegex(source);
    expect(result).toMatchObject({ ok: true, pattern: { engine, source } });
  });

  it.each([
    ["a(?=b)", "lookahead", "(?=b)"],
    ["a(?!b)", "negative lookahead", "(?!b)"],
    ["(?<=a)b", "lookbehind", "(?<=a)"],
    ["(?<!a)b", "negative lookbehind", "(?<!a)"],
    ["(a)b\\1", "backreference", "\\1"],
    ["(?<q>a)\\k<q>", "backreference", "\\k<q>"],
    ["(a)\\1(?=b)", "backreference", "\\1"],
    ["a(?i:b)", "case-insensitive group", "i"],
    ["a(?m:b)", "multiline group", "m"],
    ["a(?s:b)", "dot-all group", "s"],
    ["a(?-i:b)", "group that switches flags off", "-i"],
    ["(?<q>a)|(?<q>b)", "duplicate group name", "(?<q>b)"],
    ["xa{1,1001}b", "repetition above 1000", "a{1,1001}"],
    ["xa{1001,}b", "repetition above 1000", "a{1001,}"],
    [`xa{1,${"9".repeat(30)}}b`, "repetition above 1000", `a{1,${"9".repeat(30)}}`],
    ["x(?:a{40}){40}b", "repetition above 1000", "(?:a{40}){40}"],
    ["x(?:abc){1000}y", "more than 2500 states", "x(?:abc){1000}y"],
    ["\\p{L}{9}x|".repeat(20), "more than 10000 ranges of characters", "\\p{L}{9}x|".repeat(20)],
    [`${"\\p{L}".repeat(100)}\\p{Lu}`, "more than 100 unicode properties", "\\p{Lu}"],
    ["(".repeat(9_999), "groups nested deeper than 200", "("],
    ["(".repeat(201) + ")".repeat(201), "groups nested deeper than 200", "("],
  ])("refuses %s: %s", (source, construct, underlined) => {
    const result = parseRegex(source);
    expect(result).toMatchObject({ ok: false, problem: { kind: "unsupported", construct } });
    if (result.ok || result.problem.kind !== "unsupported") return;
    const { offset, length } = result.problem;
    expect(source.slice(offset, offset + length)).toBe(underlined);
  });

  it.each([
    ["(", "unterminated group", 1],
    ["a)", "unmatched `)`", 1],
    ["[a", "unterminated character class", 2],
    ["*a", "nothing to repeat", 1],
    ["a{2,1}", "numbers out of order in {} quantifier", 6],
    ["a{", "incomplete quantifier", 2],
    ["]", "lone quantifier brackets", 0],
    ["[b-a]", "range out of order in character class", 4],
    ["[\\d-z]", "a range in a class must begin and end with a single character", 5],
    ["(?>a)", "unknown kind of group; known are `(…)`, `(?:…)` and `(?<name>…)`", 1],
    ["(?i)a", "unknown kind of group; known are `(…)`, `(?:…)` and `(?<name>…)`", 1],
    ["(?<1>a)", "group name must be an identifier followed by `>`", 3],
    ["\\k<a>", "reference to a group that does not exist", 5],
    ["\\p{Foo}", "unknown unicode property", 6],
    ["\\u{110000}", "unicode escape must be `\\uXXXX` or `\\u{X…}` with at most 10FFFF", 2],
    ["\\-", "unknown escape; a backslash must come before a syntax character or a letter such as `d` or `n`", 1],
    ["[".repeat(9_999), "unterminated character class", 9_999],
  ])("reports that %s is malformed: %s", (source, message, offset) => {
    expect(parseRegex(source)).toEqual({ ok: false, problem: { kind: "syntax", message, offset } });
  });

  it.each(["(", "a", "(?:a|", "[a-z]*", "\\p{L}?"])("refuses a source of %s repeated to a mebibyte at once", (part) => {
    const source = part.repeat(2 ** 20 / part.length);
    const problem = { kind: "unsupported", construct: "pattern longer than 10000 characters" };
    expect(parseRegex(source)).toMatchObject({ ok: false, problem });
  });

  it("accepts 200 nested groups and escaped or quoted parentheses beyond them", () => {
    const source = `${"(".repeat(200)}a${")".repeat(200)}${"\\(".repeat(300)}${"[((]".repeat(300)}`;
    expect(parseRegex(source)).toMatchObject({ ok: true });
  });

  it("decides patterns near its limits within a second", { timeout: 60_000 }, () => {
    const ideographs = Array.from({ length: 4900 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index));
    const hostile = [
      "a|".repeat(4_999),
      "(?:a*)*".repeat(1_400),
      `${"(?:a?".repeat(199)}${")?".repeat(199)}b`,
      `^${ideographs.map((one) => `${one}?`).join("")}$`,
      ideographs.join("|"),
      `^${"\\p{L}".repeat(50)}$`,
      "\\p{Lu}?\\p{Ll}?".repeat(7),
    ];
    for (const source of hostile) {
      expect(timed(() => parseRegex(source)).milliseconds, source.slice(0, 40)).toBeLessThan(1_000);
    }
  });
});
