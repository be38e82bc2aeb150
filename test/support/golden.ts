import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

const update = process.env.UPDATE === "1";
if (update && process.env.CI !== undefined)
  throw new Error("UPDATE=1 is refused in CI: goldens are reviewed, not made there");

/** Compares with the file's text; `UPDATE=1` writes it instead, and the diff is reviewed as behaviour. */
export function expectGolden(file: string, actual: string): void {
  if (update) writeFileSync(file, actual);
  expect(actual, `${file} (UPDATE=1 rewrites it)`).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
}
