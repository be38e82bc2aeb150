import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseJsonPath } from "../../../src/language/json-path.js";

interface ConformanceCase {
  readonly name: string;
  readonly selector: string;
  readonly invalid_selector?: boolean;
}

/** The RFC 9535 compliance suite; it is not part of this repository. */
const SUITE = new URL("../../../../shared/data/jsonpath/cts.json", import.meta.url);

const text = (path: string) => {
  const result = parseJsonPath(path);
  return result.ok ? result.path.text : result.problem;
};

describe("parseJsonPath", () => {
  it.each([
    ["$", "$"],
    ["$.a.b", "$.a.b"],
    ["$['a']", "$.a"],
    ['$["a b"]', "$['a b']"],
    ["$.items[*].id", "$.items[*].id"],
    ["$..id", "$..id"],
    ["$.a[-1]", "$.a[-1]"],
    ["$.a[1:3]", "$.a[1:3]"],
    ["$.a[::2]", "$.a[::2]"],
    ["$['it''s']".replace("''", "\\'"), "$['it\\'s']"],
    ["$[ 'a' , 0 ]", "$['a',0]"],
  ])("spells %s as %s", (path, canonical) => {
    expect(text(path)).toBe(canonical);
  });

  it.each(["$", "$.a", "$.a[0].b", "$['x y'][-2]"])("knows that %s names one value", (path) => {
    expect(parseJsonPath(path)).toMatchObject({ ok: true, path: { kind: "definite" } });
  });

  it.each(["$.*", "$..a", "$[0,1]", "$[0:1]"])("knows that %s may match several values", (path) => {
    expect(parseJsonPath(path)).toMatchObject({ ok: true, path: { kind: "multi" } });
  });

  it.each(["$[?@.a]", "$.a[?(@.b > 1)]", "$[(@.length-1)]", "$.a.length()"])(
    "refuses the filter or script in %s",
    (path) => {
      expect(parseJsonPath(path)).toMatchObject({ ok: false, problem: { kind: "filter" } });
    },
  );

  it.each([
    ["", 0],
    ["a.b", 0],
    ["$.", 2],
    ["$.a.", 4],
    ["$.a[", 4],
    ["$.a b", 4],
    ["$['a", 2],
    ["$.a[01]", 4],
    ["$.order-id", 7],
  ])("points at what is wrong with %j", (path, offset) => {
    expect(parseJsonPath(path)).toMatchObject({ ok: false, problem: { kind: "syntax", offset } });
  });

  it.skipIf(!existsSync(SUITE))("agrees with the compliance suite of RFC 9535 on what is a path", () => {
    const cases: readonly ConformanceCase[] = JSON.parse(readFileSync(SUITE, "utf8")).tests;
    const disagreements = cases.filter(({ selector, invalid_selector: invalid = false }) => {
      const result = parseJsonPath(selector);
      return result.ok ? invalid : !invalid && result.problem.kind !== "filter";
    });
    expect(cases.length).toBeGreaterThan(600);
    expect(disagreements).toEqual([]);
  });

  it.skipIf(!existsSync(SUITE))("gives every path of the suite one canonical spelling", () => {
    const cases: readonly ConformanceCase[] = JSON.parse(readFileSync(SUITE, "utf8")).tests;
    for (const { selector } of cases) {
      const result = parseJsonPath(selector);
      if (result.ok) expect(text(result.path.text)).toBe(result.path.text);
    }
  });
});
