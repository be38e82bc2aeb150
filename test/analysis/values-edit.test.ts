import { describe, expect, it } from "vitest";
import { addValue, branchesOf, putValue, removeValue } from "../../src/analysis/values/edit-value.js";
import type { Json } from "../../src/base/json.js";
import type { JsonPath, Segment, Selector } from "../../src/base/json-path.js";
import { jsonPath } from "../../src/base/json-path.js";
import { readAll } from "../../src/guard/values/read-path.js";

function name(text: string): Selector {
  return { kind: "name", name: text };
}

function index(at: number): Selector {
  return { kind: "index", index: at };
}

function child(...selectors: readonly Selector[]): Segment {
  return { descend: false, selectors };
}

const WILDCARD: Selector = { kind: "wildcard" };
const SLICE: Selector = { kind: "slice", start: 1, end: 3, step: 1 };

interface Row {
  readonly path: JsonPath;
  readonly root: Json;
  readonly put: Json;
  readonly removed: Json;
}

const ROWS: readonly Row[] = [
  { path: jsonPath([child(name("a"))]), root: {}, put: { a: "new" }, removed: {} },
  { path: jsonPath([child(name("a"))]), root: { a: 1, b: 2 }, put: { a: "new", b: 2 }, removed: { b: 2 } },
  {
    path: jsonPath([child(name("a")), child(name("b"))]),
    root: { a: { c: 1, b: 0 } },
    put: { a: { c: 1, b: "new" } },
    removed: { a: { c: 1 } },
  },
  { path: jsonPath([child(name("a")), child(name("b"))]), root: { a: 5 }, put: { a: { b: "new" } }, removed: { a: 5 } },
  { path: jsonPath([child(index(1))]), root: [], put: ["new", "new"], removed: [] },
  { path: jsonPath([child(index(-1))]), root: [1, 2], put: [1, "new"], removed: [1] },
  { path: jsonPath([child(index(-2))]), root: {}, put: ["new", "new"], removed: {} },
  { path: jsonPath([child(name("a")), child(WILDCARD)]), root: {}, put: { a: ["new"] }, removed: {} },
  {
    path: jsonPath([child(name("a")), child(WILDCARD)]),
    root: { a: [1, 2] },
    put: { a: ["new", "new"] },
    removed: { a: [] },
  },
  { path: jsonPath([child(WILDCARD)]), root: { a: 1, b: 2 }, put: { a: "new", b: "new" }, removed: {} },
  { path: jsonPath([child(WILDCARD)]), root: {}, put: { item: "new" }, removed: {} },
  { path: jsonPath([child(SLICE)]), root: [1, 2, 3, 4], put: [1, "new", "new", 4], removed: [1, 4] },
  { path: jsonPath([child(SLICE)]), root: [1], put: [1, "new"], removed: [1] },
  { path: jsonPath([child(name("a"), name("b"))]), root: { b: 1 }, put: { b: "new" }, removed: {} },
  { path: jsonPath([{ descend: true, selectors: [name("a")] }]), root: {}, put: { a: "new" }, removed: {} },
  {
    path: jsonPath([{ descend: true, selectors: [name("a")] }]),
    root: { b: { a: 1 }, c: [{ a: 2 }] },
    put: { b: { a: "new" }, c: [{ a: "new" }] },
    removed: { b: {}, c: [{}] },
  },
  { path: jsonPath([]), root: { a: 1 }, put: "new", removed: { a: 1 } },
];

describe.each(ROWS)("the path $path.text in $root", ({ path, root, put, removed }) => {
  it("takes a value that the guard then reads, and lets go of it", () => {
    expect(putValue(root, path, "new")).toEqual(put);
    expect([...new Set(readAll(path, putValue(root, path, "new")))]).toEqual(["new"]);
    expect(removeValue(root, path)).toEqual(removed);
  });
});

describe("editing a value", () => {
  it("treats names of the language as names", () => {
    const edited = putValue({}, jsonPath([child(name("__proto__")), child(name("a"))]), 1);
    expect(Object.keys(edited ?? {})).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(edited)).toBe(Object.prototype);
    expect(removeValue(edited, jsonPath([child(name("__proto__"))]))).toEqual({});
  });

  it("makes no list that is longer than anybody needs", () => {
    expect(putValue({}, jsonPath([child(name("a")), child(index(1e9))]), 1)).toEqual({});
  });

  it("adds a further match beside those that are there", () => {
    const list = jsonPath([child(name("a")), child(WILDCARD), child(name("b"))]);
    expect(addValue({ a: [{ b: 1 }] }, list, 2)).toEqual([{ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 2 }, { b: 1 }] }]);
    const below = jsonPath([{ descend: true, selectors: [name("n")] }]);
    expect(addValue({ n: 1 }, below, 2)[0]).toEqual({ n: 1, item1: { n: 2 } });
    expect(addValue({ a: 1 }, jsonPath([child(name("a"))]), 2)).toEqual([]);
    expect(addValue([1], jsonPath([child(index(-1))]), 2)[0]).toEqual([1, 2]);
    expect(addValue([1], jsonPath([child(WILDCARD)]), 2)).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it("takes a path with alternatives apart", () => {
    const both = branchesOf(jsonPath([child(name("a"), name("b"))]));
    expect(both.map((path) => putValue({}, path, 1))).toEqual([{ a: 1 }, { b: 1 }]);
    expect(branchesOf(jsonPath([child(name("a"))]))).toEqual([]);
  });
});
