import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { documents, isThere, type TextFile, textOf } from "../support/documents.js";
import { REPOSITORY } from "../support/run-cli.js";

/** Files that a recipe makes, and that are not there before. */
const MADE = ["src/compiler/rules/graph/unused-label.ts", "test/rules/unused-label/"];
/** History speaks of what was there; generated documents name no files of their own. */
const SKIPPED = ["docs/changelog.md", "docs/diagnostics.md"];

const DOCUMENTS = documents().filter(({ file }) => !SKIPPED.includes(file));
const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(textOf("package.json")).scripts;

const NAMES = new Set(
  ["src", "test", "contracts"].flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" }).map((file) => basename(file)),
  ),
);

/** What is in backticks, except in blocks of code. */
function wordsOf({ text }: TextFile): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
}

function withoutBraces(path: string): readonly string[] {
  const [group, names = ""] = /\{([^}]*)\}/.exec(path) ?? [];
  return group === undefined ? [path] : names.split(",").map((name) => path.replace(group, name));
}

/** GitHub's anchor of a heading. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "");
  return kept.trim().replaceAll(" ", "-");
}

function anchorsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

describe.each(DOCUMENTS.map((document) => [document.file, document] as const))("%s", (file, document) => {
  it("names paths of the repository that exist", () => {
    const paths = wordsOf(document).filter((word) => /^(?:\.ci|bin|contracts|docs|src|test)\/[^\s*]+$/.test(word));
    const missing = paths.flatMap(withoutBraces).filter((path) => !MADE.includes(path) && !isThere(path));
    expect(missing).toEqual([]);
  });

  it("names source files that exist", () => {
    const names = wordsOf(document).filter((word) => /^[\w-]+(?:\.test)?\.(?:ts|mjs)$/.test(word));
    expect(names.filter((name) => !NAMES.has(name))).toEqual([]);
  });

  it("names npm scripts that exist", () => {
    const named = [...document.text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(named.filter((script) => !(script in SCRIPTS))).toEqual([]);
  });

  it("links to files and headings that exist", () => {
    const links = [...document.text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g)].filter(
      ([, target = ""]) => !target.includes("://"),
    );
    const broken = links.filter(([, target = "", anchor]) => {
      const path = target === "" ? file : join(dirname(file), target);
      if (!isThere(path)) return true;
      return anchor !== undefined && !anchorsIn(textOf(path)).has(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
