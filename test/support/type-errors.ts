import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { REPOSITORY } from "./run-cli.js";

/** A change of a source file: what is replaced, and by what. */
export type Edit = readonly [file: string, from: string, to: string];

/** A type error. */
export interface Mistake {
  /** The function or constant that contains it. */
  readonly where: string;
  readonly message: string;
}

function edit(root: string, [file, from, to]: Edit): void {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  expect(text.split(from), `${file} holds once: ${from}`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

function enclosing(root: string, file: string, line: number): string {
  const lines = readFileSync(join(root, file), "utf8").split("\n").slice(0, line);
  const names = lines.flatMap((text) => /^(?:export )?(?:function|const) (\w+)/.exec(text)?.[1] ?? []);
  return names.at(-1) ?? file;
}

async function compilerOutput(root: string): Promise<string> {
  const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "--noEmit", "--pretty", "false"], {
      cwd: root,
    });
    return stdout;
  } catch (cause) {
    if (cause instanceof Error && "stdout" in cause) return String(cause.stdout);
    throw cause;
  }
}

/** The type errors of a file, with all that it imports, in a copy of the sources with these changes. */
export async function typeErrorsWith(entry: string, edits: readonly Edit[]): Promise<readonly Mistake[]> {
  const root = mkdtempSync(join(tmpdir(), "types-"));
  try {
    cpSync(join(REPOSITORY, "src"), join(root, "src"), { recursive: true });
    cpSync(join(REPOSITORY, "package.json"), join(root, "package.json"));
    symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules"));
    const { compilerOptions } = JSON.parse(readFileSync(join(REPOSITORY, "tsconfig.json"), "utf8"));
    writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [entry] }));
    for (const each of edits) edit(root, each);
    const output = await compilerOutput(root);
    return [...output.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: ((?:.*\n?)(?: {2}.*\n?)*)/gm)].map(
      ([, file = "", line = "", message = ""]) => ({ where: enclosing(root, file, Number(line)), message }),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
