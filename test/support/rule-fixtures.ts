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

/** The fixture of a finding that playing golden cases gives. */
export function goldenFixture(code: string, kind: "invalid" | "valid"): string {
  return join(FIXTURES, "../golden", code.replaceAll("_", "-"), `${kind}.yaml`);
}

export function read(file: string): string {
  return readFileSync(file, "utf8");
}

/** The codes of findings about a pack as a whole. */
export const ANALYSIS: ReadonlySet<string> = new Set(ANALYSIS_RULES.map(({ code }) => code));

/** What `contracts check` prints for a pack text. */
function outputFor(packText: string): string {
  return withPack(packText, (folder) => renderText(compileFolder(folder).diagnostics, false));
}

/**
 * The same without what the analysis says: texts that show one thing in a few lines are no whole packs, and of most of
 * them it would find that something leads nowhere.
 */
export function outputWithoutAnalysis(packText: string): string {
  return withPack(packText, (folder) => {
    const { diagnostics } = compileFolder(folder);
    return renderText(
      diagnostics.filter((found) => !ANALYSIS.has(found.code)),
      false,
    );
  });
}

/** What is printed for a fixture of one rule; those of the analysis are whole packs. */
export function outputOf(code: string, packText: string): string {
  return ANALYSIS.has(code) ? outputFor(packText) : outputWithoutAnalysis(packText);
}
