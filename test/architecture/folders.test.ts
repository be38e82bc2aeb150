import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = new URL("../../src/", import.meta.url).pathname;
const MANY = 10;
const LONGEST = 15;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

function filesByFolder(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return counts;
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const targets = [...text.matchAll(/\b(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, target = ""]) => target);
  const sources = targets.map((target) => relative(SRC, join(SRC, dirname(file), target)).replace(/\.js$/, ".ts"));
  // The code of some declarations is generated.
  return sources.map((source) => (files.includes(source) ? source : source.replace(/\.ts$/, ".d.ts")));
}

/** The files that import themselves through others, types included: each set of them once (Tarjan). */
function cycles(): readonly (readonly string[])[] {
  const [order, lowest] = [new Map<string, number>(), new Map<string, number>()];
  const [stack, found]: [string[], string[][]] = [[], []];
  const visit = (file: string): void => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    stack.push(file);
    for (const target of importsOf(file)) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(file) !== number) return;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1) found.push(members);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

describe("the folders of src", () => {
  it.each([...filesByFolder()].filter(([, count]) => count > MANY))(
    "%s, with %i files, has a short README",
    (folder) => {
      const readme = join(SRC, folder, "README.md");
      expect(existsSync(readme)).toBe(true);
      expect(readFileSync(readme, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(LONGEST);
    },
  );

  it("name only files that exist in their READMEs", () => {
    const readmes = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith("README.md"),
    );
    const missing = readmes.flatMap((readme) =>
      [...readFileSync(join(SRC, readme), "utf8").matchAll(/`([^`*]+\.ts)`/g)]
        .map(([, path = ""]) => (path.startsWith("src/") ? path.slice(4) : join(dirname(readme), path)))
        .filter((path) => !existsSync(join(SRC, path)))
        .map((path) => `${readme}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it("have no cycles of imports, types included", () => {
    expect(cycles()).toEqual([]);
  });
});
