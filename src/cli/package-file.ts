import { readFileSync } from "node:fs";

/** A file that ships with the package, by its path from the package's root. */
export function packageFile(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** The version of the package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(packageFile("package.json"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
