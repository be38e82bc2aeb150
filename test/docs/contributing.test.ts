import { describe, expect, it } from "vitest";
import { filesBelow, sectionOf, type TextFile, tableRows, textOf } from "../support/documents.js";

const DOCUMENT = textOf("docs/CONTRIBUTING.md");
const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(textOf("package.json")).scripts;
/** Run by npm itself or by other scripts; README.md has the demos. */
const INTERNAL = ["prepare", "check", "demo", "demo:workflow"];
/** How the normal run shortens tests whose size is no number of its own: a step between those that it takes. */
const STEPS: Readonly<Record<string, string>> = {
  "a twentieth": "20 * every",
  "a fifth": "proved % 5 !== 0",
  "one of four": "index % FORMATS.length",
  "half of those that differ on each": "DIFFERENT.filter((_, index) => index % 2 === half)",
  none: "describe.runIf(isFull())",
};

/** The size of a test: `path VARIABLE share full`. */
function sizesIn({ file, text }: TextFile): readonly string[] {
  const calls = [...text.matchAll(/\bsizeOf\("(\w+)", \{ share: ([\d_]+), full: ([\d_]+) \}\)/g)];
  return calls.map(([, variable, share = "", full = ""]) =>
    [file, variable, share.replaceAll("_", ""), full.replaceAll("_", "")].join(" "),
  );
}

const TESTS = filesBelow("test", ".ts").filter(({ text }) => /^import .*\/size\.js"/m.test(text));
const TABLE = tableRows(sectionOf(DOCUMENT, "## What runs how much")).map(([test = "", variables = "", ...sizes]) => ({
  file: /`([^`]+)`/.exec(test)?.[1] ?? "",
  variables: [...variables.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  sizes: sizes.map((size) => size.replaceAll(",", "")),
}));

describe("docs/CONTRIBUTING.md", () => {
  it("lists the size of every long test as it is", () => {
    const listed = TABLE.flatMap(({ file, variables, sizes }) =>
      variables.map((name) => [file, name, ...sizes].join(" ")),
    );
    const sizes = TESTS.flatMap(sizesIn);
    expect(sizes.length).toBeGreaterThan(5);
    expect([...listed].sort()).toEqual([...sizes].sort());
  });

  it("reads every size in the tests", () => {
    const calls = TESTS.flatMap(({ text }) => [...text.matchAll(/\bsizeOf\("/g)]);
    expect(TESTS.flatMap(sizesIn).length).toBe(calls.length);
  });

  it("says how tests without a variable are shortened", () => {
    const shortened = TESTS.filter(({ text }) => text.includes("isFull()") && !text.includes("sizeOf("));
    const plain = TABLE.filter(({ variables }) => variables.length === 0);
    expect(plain.map(({ file }) => file).sort()).toEqual(shortened.map(({ file }) => file).sort());
    for (const { file, sizes } of plain) expect(textOf(file)).toContain(STEPS[sizes[0] ?? ""] ?? "a known share");
  });

  it("names every npm script that contributors run", () => {
    const named = (script: string) => DOCUMENT.includes(script === "test" ? "`npm test`" : `npm run ${script}`);
    expect(Object.keys(SCRIPTS).filter((script) => !INTERNAL.includes(script) && !named(script))).toEqual([]);
  });
});
