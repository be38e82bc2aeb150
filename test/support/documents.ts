import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./run-cli.js";

/** A text file of the repository, with its path from the root. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(REPOSITORY, file), "utf8");
}

/** The files below a folder of the repository that end so. */
export function filesBelow(folder: string, ending: string): readonly TextFile[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .map((name) => ({ file: join(folder, name), text: textOf(join(folder, name)) }));
}

/** README.md and every document. */
export function documents(): readonly TextFile[] {
  return [{ file: "README.md", text: textOf("README.md") }, ...filesBelow("docs", ".md")];
}

/** The cells of the tables in a text, row by row, without heads and rulers. */
export function tableRows(text: string): readonly (readonly string[])[] {
  const lines = text.split("\n");
  return lines
    .filter((line, at) => line.startsWith("|") && !isRuler(line) && !isRuler(lines[at + 1] ?? ""))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function isRuler(line: string): boolean {
  return /^\|[-|: ]+\|$/.test(line);
}

/** The part of a document below a heading, up to the next one of the same level. */
export function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`no heading "${heading}"`);
  const rest = text.slice(start + heading.length + 2);
  const level = heading.replace(/[^#].*$/, "");
  const end = rest.search(new RegExp(`^${level} `, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Whether a path of the repository exists. */
export function isThere(path: string): boolean {
  return existsSync(join(REPOSITORY, path));
}
