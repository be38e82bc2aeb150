import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { ANALYSIS_RULES } from "../../src/compiler/rules/index.js";
import { renderText } from "../../src/diagnostics/render-text.js";
import { withPack } from "./pack-text.js";

/** The folder with one folder a rule: invalid*.yaml with invalid*.out, and valid*.yaml. */
export const FIXTURES = new URL("../rules/", import.meta.url).pathname;

/** `dead_tool` in YAML is `dead-tool` on disk. */
export function folderOf(code: string): string {
  return join(FIXTURES, code.toLowerCase().replaceAll("_", "-"));
}

function fixtures(code: string, prefix: string): readonly string[] {
  const folder = folderOf(code);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(".yaml")).map((name) => join(folder, name));
}

export const invalidFixtures = (code: string) => fixtures(code, "invalid");
export const validFixtures = (code: string) => fixtures(code, "valid");

export function read(file: string): string {
  return readFileSync(file, "utf8");
}

const ANALYSIS: ReadonlySet<string> = new Set(ANALYSIS_RULES.map(({ code }) => code));

/** What `contracts check` prints for a pack text. */
export function outputFor(packText: string): string {
  return withPack(packText, (folder) => renderText(compileFolder(folder).diagnostics, false));
}

/**
 * The same for a fixture of one rule. Fixtures show one mistake in a few lines, and the analysis would say of most of
 * them that they are no whole pack; only the fixtures of its own rules are.
 */
export function outputOf(code: string, packText: string): string {
  if (ANALYSIS.has(code)) return outputFor(packText);
  return withPack(packText, (folder) => {
    const { diagnostics } = compileFolder(folder);
    return renderText(
      diagnostics.filter((found) => !ANALYSIS.has(found.code)),
      false,
    );
  });
}
