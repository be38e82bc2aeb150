import { existsSync, readFileSync } from "node:fs";
import { JSONPath } from "jsonpath-plus";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../../src/base/canonical-json.js";
import { withinBudget } from "../../../../src/base/cost.js";
import { isJsonList, type Json } from "../../../../src/base/json.js";
import type { JsonPath } from "../../../../src/base/json-path.js";
import { readAll } from "../../../../src/guard/values/read-path.js";
import { parseJsonPath } from "../../../../src/language/json-path.js";
import { fc } from "../../../support/fast-check.js";
import { document, pathOf, pathTexts } from "../../../support/json-paths.js";

interface ConformanceCase {
  readonly name: string;
  readonly selector: string;
  readonly document?: Json;
  readonly result?: readonly Json[];
  /** Where the order of members is open, every list that is right. */
  readonly results?: readonly (readonly Json[])[];
  readonly result_paths?: readonly string[];
  readonly results_paths?: readonly (readonly string[])[];
  readonly invalid_selector?: boolean;
}

/** The RFC 9535 compliance suite; it is not part of this repository. */
const SUITE = new URL("../../../../../shared/data/jsonpath/cts.json", import.meta.url);
const hasSuite = existsSync(SUITE);
const cases: readonly ConformanceCase[] = hasSuite ? JSON.parse(readFileSync(SUITE, "utf8")).tests : [];

const sorted = (values: readonly Json[]) => values.map(canonicalJson).sort();

/** The values that a case expects, each place once, as the guard counts them. */
function expectedOf({
  result,
  results,
  result_paths: paths,
  results_paths: several,
}: ConformanceCase): readonly Json[] {
  const values = result ?? results?.[0] ?? [];
  const places = paths ?? several?.[0] ?? [];
  return values.filter((_, at) => places.indexOf(places[at] ?? "") === at);
}

const evaluated = cases.filter(({ selector }) => parseJsonPath(selector).ok);

describe.skipIf(!hasSuite)("the compliance suite of RFC 9535", () => {
  it.each(evaluated.map((each) => [each.name, each] as const))("%s", (_, each) => {
    const found = readAll(pathOf(each.selector), each.document ?? null);
    expect(sorted(found)).toEqual(sorted(expectedOf(each)));
  });

  it("is evaluated but for filters, which the language does not have", () => {
    const refused = cases.filter(({ selector }) => !parseJsonPath(selector).ok);
    const filters = refused.filter(({ invalid_selector: invalid = false }) => !invalid);
    expect(filters.every(({ selector }) => selector.includes("?"))).toBe(true);
    expect(evaluated.length).toBeGreaterThan(150);
    expect(evaluated.length + refused.length).toBe(cases.length);
  });

  it("lists values in the same order, but a place that is picked twice once", () => {
    const inOrder = evaluated.filter(({ selector, document = null, result, results }) => {
      const found = canonicalJson(readAll(pathOf(selector), document));
      const right = result === undefined ? (results ?? []) : [result];
      return right.some((each) => canonicalJson(each) === found);
    });
    const others = evaluated.filter((each) => !inOrder.includes(each)).map(({ selector }) => selector);
    expect(others).toEqual(["$[1,0:3]", "$[1,1]", "$[*,1]", "$[*,'a']", "$[*,0:2]", "$[*,*]"]);
  });

  it("is read by jsonpath-plus in the same way, but for what that reads otherwise", () => {
    const differing = evaluated.filter(({ selector, document = null }) => {
      return (
        canonicalJson(second(pathOf(selector).text, document)) !==
        canonicalJson(sorted(readAll(pathOf(selector), document)))
      );
    });
    // Where the two differ the suite decides, and it says what readAll says (above).
    const known = DEVIATIONS.map(([what, form]) => [
      what,
      differing.filter(({ selector }) => form.test(selector)).length,
    ]);
    expect(known).toEqual(DEVIATIONS.map(([what, , count]) => [what, count]));
    const unknown = differing.filter(({ selector }) => !DEVIATIONS.some(([, form]) => form.test(selector)));
    expect(unknown.map(({ selector }) => selector)).toEqual([]);
    expect(evaluated.length - differing.length).toBeGreaterThan(100);
  });
});

/** What jsonpath-plus finds, each place once. */
function second(selector: string, document: Json): readonly string[] | string {
  try {
    const found: unknown = JSONPath({
      path: selector,
      json: toolsJson(document),
      resultType: "all",
      wrap: true,
      eval: false,
    });
    const places = new Map<string, Json>();
    if (Array.isArray(found)) for (const { path, value } of found) places.set(String(path), value);
    return sorted([...places.values()]);
  } catch (cause) {
    return cause instanceof Error ? cause.name : "unknown";
  }
}

/** jsonpath-plus takes objects and lists only, and wants to be free to change them. */
function toolsJson(document: Json): object {
  return typeof document === "object" && document !== null ? structuredClone(document) : [];
}

/** What jsonpath-plus does not know, or reads otherwise than RFC 9535, and how many cases of the suite show it. */
const DEVIATIONS: readonly (readonly [string, RegExp, number])[] = [
  ["escapes and quotes in quoted names", /[\\"]/, 14],
  ["indices and steps below zero, and a step of 0", /^\$\[(?:-\d+|.*:-?\d*:(?:0|-\d+))\]$/, 16],
  ["lists of names, and of a name and an index", /'a'\s*,\s*(?:'b'|'d'|1)/, 11],
];

/** Segment by segment as RFC 9535 writes it, with the place of each value; slow, and as plain as can be. */
function plainly(path: JsonPath, root: Json): readonly Json[] {
  if (path.kind === "definite") return readAll(path, root);
  let nodes: readonly (readonly [string, Json])[] = [["$", root]];
  for (const { descend, selectors } of path.segments) {
    const starts = descend ? nodes.flatMap(withDescendants) : nodes;
    nodes = starts.flatMap((start) => selectors.flatMap((selector) => chosen(selector, start)));
  }
  return [...new Map(nodes).values()];
}

type Node = readonly [string, Json];

function childrenOf([place, value]: Node): readonly Node[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([key, child]): Node => [`${place}/${JSON.stringify(key)}`, child]);
}

function withDescendants(node: Node): readonly Node[] {
  return [node, ...childrenOf(node).flatMap(withDescendants)];
}

function chosen(
  selector: Extract<JsonPath, { kind: "multi" }>["segments"][number]["selectors"][number],
  node: Node,
): readonly Node[] {
  const children = childrenOf(node);
  const isList = isJsonList(node[1]);
  switch (selector.kind) {
    case "name":
      return isList ? [] : children.filter(([place]) => place === `${node[0]}/${JSON.stringify(selector.name)}`);
    case "index":
      return isList ? children.slice(selector.index, selector.index === -1 ? undefined : selector.index + 1) : [];
    case "wildcard":
      return children;
    case "slice": {
      if (!isList || selector.step === 0) return [];
      const { start, end, step } = selector;
      const forward = step > 0 ? children : children.toReversed();
      const size = children.length;
      const place = (index: number) => (index < 0 ? size + index : index);
      const from = start === null ? 0 : step > 0 ? Math.max(place(start), 0) : Math.max(size - 1 - place(start), 0);
      const to = end === null ? size : step > 0 ? place(end) : size - 1 - place(end);
      return forward.filter((_, at) => at >= from && at < to && (at - from) % Math.abs(step) === 0);
    }
  }
}

describe("readAll", () => {
  it("finds the places that RFC 9535 describes, each once", () => {
    fc.assert(
      fc.property(pathTexts("", "", ".."), document, (text, root) => {
        const path = pathOf(text);
        expect(sorted(readAll(path, root))).toEqual(sorted(plainly(path, root)));
      }),
      { numRuns: 5000, seed: 20261122 },
    );
  });

  it.each([
    ["$[0,0]", [7], [7]],
    ["$..a..b", { a: { a: { b: 1 } } }, [1]],
    ["$..*..*", [[1]], [1]],
    ["$['a','a',*]", { a: 1, b: 2 }, [1, 2]],
  ])("counts a place once in %s", (path, root, expected) => {
    expect(readAll(pathOf(path), root)).toEqual(expected);
  });

  it("distinguishes equal values at different places, also where they are one object", () => {
    const shared = { n: 1 };
    expect(readAll(pathOf("$..n"), { a: shared, b: [shared, shared] })).toEqual([1, 1, 1]);
  });

  it("ends within its budget on small values that several steps multiply", () => {
    let root: Json = { b: 1 };
    for (let level = 0; level < 90; level++) root = { a: root };
    expect(readAll(pathOf(`$${"..a".repeat(12)}..b`), root)).toEqual([1]);
    const cost = () =>
      withinBudget<number | "too much">(
        () => readAll(pathOf("$..a..a..a..a..b"), root).length,
        () => "too much",
      );
    expect(cost()).toBe(1);
  });

  it("gives up on a million values that several steps descend into", () => {
    const root = Array.from({ length: 250_000 }, () => [[1]]);
    const found = withinBudget<number | "too much">(
      () => readAll(pathOf("$..*..*..*..*"), root).length,
      () => "too much",
    );
    expect(found).toBe("too much");
  });
});
