import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/base/json.js";
import { placesIn } from "../../../src/language/located.js";
import { readYaml } from "../../../src/language/read-yaml.js";
import { scalarPlaces } from "../../../src/language/scalar-text.js";

/** Where a part of the value of `that` is in the file, as `line:column` with the characters there. */
function placeOf(text: string, part: string): string {
  const source = { name: "x.yaml", text };
  const { root } = readYaml(source);
  if (!isJsonObject(root) || typeof root.that !== "string") throw new Error("not read");
  const span = placesIn(root).values.get("that");
  if (span === undefined) throw new Error("no place");
  const at = root.that.indexOf(part);
  if (at < 0) throw new Error(`no ${part} in ${root.that}`);
  const { start, end } = scalarPlaces(span, root.that)(at, at + part.length);
  const before = text.slice(0, start).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${text.slice(start, end)}`;
}

describe("a part of a scalar", () => {
  it.each([
    ["plain", "that: args.a == wrong # why\n", "wrong", "1:17 wrong"],
    ["plain on several lines", "that: args.a ==\n    wrong &&\n\n    more\nb: 1\n", "more", "4:5 more"],
    ["single quotes", "that: 'args.a == ''x'' && wrong'\n", "wrong", "1:27 wrong"],
    ["the quote itself", "that: 'args.a == ''x'''\n", "'x'", "1:18 ''x''"],
    ["double quotes", 'that: "args.a == \\"x\\" && wrong"\n', "wrong", "1:27 wrong"],
    ["escapes", 'that: "args.a == \\u0041\\x42 && wrong"\n', "AB", "1:18 \\u0041\\x42"],
    ["after escapes", 'that: "args.a == \\u0041\\x42 && wrong"\n', "wrong", "1:32 wrong"],
    ["a joined line", 'that: "args.a ==\\\n   wrong"\n', "wrong", "2:4 wrong"],
    ["an astral escape", 'that: "\\U0001F600 wrong"\n', "wrong", "1:19 wrong"],
    ["a literal block", "that: |\n  args.a\n    && wrong\n", "wrong", "3:8 wrong"],
    ["its first line", "that: |\n  wrong\n    && b\n", "wrong", "2:3 wrong"],
    ["with an indentation indicator", "that: |2-\n    args.a\n   wrong\n", "wrong", "3:4 wrong"],
    ["with empty lines", "that: |\n\n\n  args.a\n\n  wrong\n", "wrong", "6:3 wrong"],
    ["with line ends of Windows", "that: |\r\n  args.a\r\n  wrong\r\n", "wrong", "3:3 wrong"],
    ["a folded block", "that: >-\n  args.a\n  && wrong\n\n  && more\n", "wrong", "3:6 wrong"],
    ["later in a folded block", "that: >-\n  args.a\n  && wrong\n\n  && more\n", "more", "5:6 more"],
    ["more indented lines of a folded block", "that: >\n  args.a\n      && wrong\n  && more\n", "more", "4:6 more"],
    ["a comment after the header", "that: | # why\n  wrong\n", "wrong", "2:3 wrong"],
    ["with a tag", "that: !!str wrong\n", "wrong", "1:13 wrong"],
    ["with an anchor", "that: &x wrong\n", "wrong", "1:10 wrong"],
    ["in a flow mapping", '{ "that": wrong }\n', "wrong", "1:11 wrong"],
  ])("is found in %s", (_, text, part, expected) => {
    expect(placeOf(text, part)).toBe(expected);
  });

  it("of an alias is the alias", () => {
    expect(placeOf("a: &x args.wrong\nthat: *x\n", "wrong")).toBe("2:7 *x");
  });
});
