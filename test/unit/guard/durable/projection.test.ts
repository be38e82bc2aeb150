import { describe, expect, it } from "vitest";
import { withinBudget, workLeft } from "../../../../src/base/cost.js";
import type { Json } from "../../../../src/base/json.js";
import type { JsonPath } from "../../../../src/base/json-path.js";
import { planOf, project, projectObject } from "../../../../src/guard/durable/projection.js";
import { readAll, readDefinite } from "../../../../src/guard/values/read-path.js";
import { fc } from "../../../support/fast-check.js";
import { document, pathOf, pathTexts } from "../../../support/json-paths.js";

function projected(paths: readonly string[], value: Json): Json {
  return project(planOf(paths.map(pathOf)), value);
}

/** An object of JSON with `__proto__` as a name like any other. */
function parsed(text: string): Json {
  return JSON.parse(text);
}

describe("what is kept", () => {
  it.each<[what: string, paths: readonly string[], value: Json, kept: Json]>([
    ["a named member", ["$.a"], { a: 1, b: 2 }, { a: 1 }],
    ["what a path ends at, whole", ["$.a"], { a: { x: [1, { y: 2 }] }, b: 2 }, { a: { x: [1, { y: 2 }] } }],
    ["only the way to a deeper member", ["$.a.b"], { a: { b: 1, c: 2 }, b: 3 }, { a: { b: 1 } }],
    [
      "members of several paths",
      ["$.a.b", "$.a.c", "$.d"],
      { a: { b: 1, c: 2, e: 3 }, d: 4 },
      { a: { b: 1, c: 2 }, d: 4 },
    ],
    [
      "a place whole, of which another path reads a part",
      ["$.a.b", "$.a"],
      { a: { b: 1, c: 2 } },
      { a: { b: 1, c: 2 } },
    ],
    ["nothing for a missing member", ["$.a.b"], { a: { c: 1 } }, { a: {} }],
    ["the kind of a value that a path would go through", ["$.a.b"], { a: "secret" }, { a: "" }],
    ["an element at its index", ["$.a[1]"], { a: [1, 2, 3] }, { a: [null, 2, null] }],
    ["no part of other elements", ["$.a[1]"], { a: [{ x: "secret" }, 2, [1]] }, { a: [null, 2, null] }],
    ["an element counted from the end", ["$.a[-1]"], { a: [1, 2, 3] }, { a: [null, null, 3] }],
    ["the length of a list in which an index finds nothing", ["$.a[-4]", "$.a[7]"], { a: [1, 2] }, { a: [null, null] }],
    ["a slice", ["$.a[1:3]"], { a: [1, 2, 3, 4] }, { a: [null, 2, 3, null] }],
    ["a slice backwards", ["$.a[::-2]"], { a: [1, 2, 3, 4] }, { a: [null, 2, null, 4] }],
    ["all elements under a wildcard", ["$.a[*].b"], { a: [{ b: 1, c: 2 }, 7, { c: 3 }] }, { a: [{ b: 1 }, 0, {}] }],
    ["all members under a wildcard", ["$.*.b"], { a: { b: 1, c: 2 }, d: "secret" }, { a: { b: 1 }, d: "" }],
    [
      "the order of members",
      ["$.*.x", "$.b.y"],
      { c: { x: 1 }, b: { x: 2, y: 3 } },
      { c: { x: 1 }, b: { x: 2, y: 3 } },
    ],
    ["no element for a name", ["$.a.length", "$.a['0']"], { a: [1, 2] }, { a: [null, null] }],
    ["no member for an index", ["$[0]", "$[0:2]"], { "0": 1 }, {}],
    [
      "several selectors of one segment",
      ["$['a','b'].n"],
      { a: { n: 1 }, b: { n: 2 }, c: { n: 3 } },
      { a: { n: 1 }, b: { n: 2 } },
    ],
    [
      "everything below a descent",
      ["$.a..n", "$.b.n"],
      { a: { x: [1] }, b: { n: 1, x: 2 } },
      { a: { x: [1] }, b: { n: 1 } },
    ],
    ["everything for a descent from the root", ["$..n"], { a: { x: [1] } }, { a: { x: [1] } }],
    ["everything for the root", ["$"], [1, { a: 2 }], [1, { a: 2 }]],
    ["nothing without a path", [], { a: 1 }, null],
    ["the kind of another type", ["$.a"], "secret", ""],
    ["the kind of a truth value", ["$.a.b"], { a: true }, { a: false }],
  ])("is %s", (_, paths, value, kept) => {
    expect(JSON.stringify(projected(paths, value))).toBe(JSON.stringify(kept));
  });

  it("treats `__proto__` as a name like any other, and inherited names as missing", () => {
    const value = parsed('{"__proto__":{"n":1,"m":2},"a":3}');
    expect(JSON.stringify(projected(["$.__proto__.n", "$.constructor", "$.toString.name"], value))).toBe(
      '{"__proto__":{"n":1}}',
    );
    expect(Object.getPrototypeOf(projected(["$.__proto__"], value))).toBe(Object.prototype);
    expect(JSON.stringify(projected(["$.__proto__", "$.constructor"], { a: 1 }))).toBe("{}");
  });

  it("is an empty object of arguments that no path reads", () => {
    expect(projectObject(planOf([]), { a: 1 })).toEqual({});
  });

  it("is what paths begin with where finding the parts takes more work than one judgement may take", () => {
    const list = Array.from({ length: 300_000 }, (_, n) => ({ n }));
    const value = { list, other: 1 };
    expect(projectObject(planOf([pathOf("$.list[*].n"), pathOf("$.none")]), value)).toStrictEqual({ list });
    expect(project(planOf([pathOf("$.list[*].n")]), value)).toStrictEqual({ list });
    expect(project(planOf([pathOf("$.*[*].n")]), value)).toBe(value);
    expect(project(planOf([pathOf("$[*].n")]), list)).toBe(list);
  });

  it("takes no more work for selectors that pick the same children again and again", () => {
    const text = `$${"[*,*,::1]".repeat(10)}.n`;
    const nested = (inner: Json): Json => {
      let value = inner;
      for (let level = 0; level < 10; level++) value = [value, value];
      return value;
    };
    // Too much work would keep everything.
    expect(projected([text], nested({ n: 1, other: 2 }))).toEqual(nested({ n: 1 }));
  });

  it("takes the work for what several paths begin with once", () => {
    const names = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const plan = planOf(names.map((name) => pathOf(`$.list[*][0].${name}`)));
    const listOf = (element: Json) => ({ list: Array.from({ length: 20_000 }, () => [element]) });
    expect(projectObject(plan, listOf({ k0: 1, other: 2 }))).toEqual(listOf({ k0: 1 }));
  });
});

const texts = fc.array(pathTexts("", "", "", "", ".."), { minLength: 1, maxLength: 4 });
const plainTexts = fc.array(pathTexts(""), { minLength: 1, maxLength: 4 });
const RUNS = { numRuns: 5000, seed: 20261207 };

function read(path: JsonPath, root: Json): unknown {
  const definite = path.kind === "definite" ? readDefinite(path.steps, root) : "another kind";
  return { all: readAll(path, root), definite };
}

/** The work that is left of a budget after reading. */
function leftAfter(path: JsonPath, root: Json): number {
  return withinBudget(
    () => {
      readAll(path, root);
      return workLeft();
    },
    () => -1,
  );
}

/** The same value with a text of its own at each place that has no children. */
function marked(value: Json): Json {
  let count = 0;
  return JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === "object" && part !== null ? part : `mark ${count++}`,
  );
}

function marksIn(values: readonly Json[]): readonly string[] {
  return [...new Set(JSON.stringify(values).match(/mark \d+/g))].sort();
}

describe("what paths read of the kept parts", () => {
  it("is the same as of the whole, in the same order and with the same work", () => {
    fc.assert(
      fc.property(texts, document, (several, root) => {
        const part = projected(several, root);
        for (const path of several.map(pathOf)) {
          expect(JSON.stringify(read(path, part))).toBe(JSON.stringify(read(path, root)));
          expect(leftAfter(path, part)).toBe(leftAfter(path, root));
        }
      }),
      RUNS,
    );
  });

  it("is all that is kept", () => {
    fc.assert(
      fc.property(plainTexts, document, (several, plain) => {
        const root = marked(plain);
        const found = several.flatMap((text) => readAll(pathOf(text), root));
        expect(marksIn([projected(several, root)])).toEqual(marksIn(found));
      }),
      RUNS,
    );
  });

  it("is kept when the kept parts are taken once more", () => {
    fc.assert(
      fc.property(texts, document, (several, root) => {
        const part = projected(several, root);
        expect(JSON.stringify(projected(several, part))).toBe(JSON.stringify(part));
      }),
      RUNS,
    );
  });
});
