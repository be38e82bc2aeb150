import { describe, expect, it } from "vitest";
import { documents, filesBelow, sectionOf, type TextFile, tableRows, textOf } from "../support/documents.js";

/** Words that the glossary replaces. Each is a pattern of whole words, in lower case. */
const REPLACED = [
  "mend(?:s|ed|ing)?",
  "(?:come|comes|came|coming) upon",
  "wealth",
  "isAsGood",
  "told(?:Decision|Settlement|Killed)",
  "hunt(?:s|ed|ing)?",
  "lapse[sd]?",
  "void(?:s|ed)",
  "void calls?",
  "beaten",
  "owedKills?",
  "owed kills?",
  "whereof",
  "thus",
  "as ever",
  "of late",
] as const;

const rows = tableRows(sectionOf(textOf("docs/architecture.md"), "## Glossary"));

function usesOf(pattern: string, files: readonly TextFile[]): readonly string[] {
  const word = new RegExp(`\\b(?:${pattern.replaceAll(" ", "\\s+")})\\b`, "gi");
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(word)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: ${found}`;
    }),
  );
}

describe("the glossary", () => {
  it("has words with a meaning", () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(rows.filter(([word = "", meaning = ""]) => word === "" || meaning === "")).toEqual([]);
  });

  it("defines each word once", () => {
    const words = rows.map(([word = ""]) => word.toLowerCase());
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });

  it("is the only one", () => {
    const others = documents().filter(({ text }) => /^#+ Glossary$/m.test(text));
    expect(others.map(({ file }) => file)).toEqual(["docs/architecture.md"]);
  });
});

describe("the words that the glossary replaces", () => {
  const sources = [...filesBelow("src", ".ts"), ...filesBelow("src", ".md")];
  const tests = filesBelow("test", ".ts").filter(({ file }) => !file.endsWith("glossary.test.ts"));

  it.each(REPLACED)("are not in the sources: %s", (pattern) => {
    expect(usesOf(pattern, sources)).toEqual([]);
  });

  it.each(REPLACED)("are not in the tests: %s", (pattern) => {
    expect(usesOf(pattern, tests)).toEqual([]);
  });

  it.each(REPLACED)("are not in the documents: %s", (pattern) => {
    expect(usesOf(pattern, documents())).toEqual([]);
  });

  it("would be found", () => {
    const texts = ["/** Mended. */", "came\nupon", "tellLapsed, lapsed", "a void call", "owedKill"];
    const found = texts.map((text) => REPLACED.flatMap((pattern) => usesOf(pattern, [{ file: "a.ts", text }])));
    expect(found).toEqual([
      ["a.ts:1: Mended"],
      ["a.ts:1: came\nupon"],
      ["a.ts:1: lapsed"],
      ["a.ts:1: void call"],
      ["a.ts:1: owedKill"],
    ]);
  });
});
