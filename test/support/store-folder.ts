import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test is over. */
export function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
