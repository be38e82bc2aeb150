import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where a part of the package is, by its path from the package's root. This file is two folders below it, bundled or not. */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** A file that ships with the package. */
export function packageFile(path: string): string {
  return readFileSync(packagePath(path), "utf8");
}

/** The version of the package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(packageFile("package.json"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
