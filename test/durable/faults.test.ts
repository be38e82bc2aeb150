import { describe, expect, it } from "vitest";
import { isThere, sectionOf, tableRows, textOf } from "../support/documents.js";

const ROWS = tableRows(sectionOf(textOf("docs/durability.md"), "## Faults"));

/** The titles of tests that a row names, each with its file: `file`: title; title; `file`: title. */
function titlesIn(cell: string): readonly (readonly [file: string, title: string])[] {
  return [...cell.matchAll(/`(test\/[^`]+)`: ([^`]+)/g)].flatMap(([, file = "", titles = ""]) =>
    titles
      .split("; ")
      .map((title) => title.replace(/;\s*$/, "").trim())
      .filter((title) => title !== "")
      .map((title) => [file, title] as const),
  );
}

/** What a test may be called in its file; a title may go on with what a table fills in. */
function isTitle(text: string, title: string): boolean {
  return ['"', "`", "'"].some((quote) => text.includes(quote + title));
}

describe("the faults of docs/durability.md", () => {
  it("are a table", () => {
    expect(ROWS.length).toBeGreaterThan(15);
  });

  it.each(ROWS.map(([fault = "", , tests = ""]) => ({ fault, tests })))("$fault: is tested", ({ tests }) => {
    const titles = titlesIn(tests);
    expect(titles).not.toEqual([]);
    const missing = titles.filter(([file, title]) => !isThere(file) || !isTitle(textOf(file), title));
    expect(missing).toEqual([]);
  });
});
