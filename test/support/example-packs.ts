import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CONTRACTS = new URL("../../contracts/", import.meta.url).pathname;

/** One of the packs in contracts/: the texts of its files by path. */
export interface ExamplePack {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => file.slice(folder.length)).sort();
}

function examplePack(name: string): ExamplePack {
  const folder = join(CONTRACTS, name, "/");
  const files = filesBelow(folder).filter((file) => /(?:\.yaml|tools\.json)$/.test(file));
  return { name, files: new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")])) };
}

/** Every example pack, the broken one included. */
export const EXAMPLE_PACKS: readonly ExamplePack[] = readdirSync(CONTRACTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => examplePack(name));
