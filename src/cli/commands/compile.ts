import { statSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { encodeArtifact } from "../../artifact/encode.js";
import type { Compiled } from "../../compiler/compile.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { RULES } from "../../compiler/rules/index.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { renderGithub } from "../../diagnostics/render-github.js";
import { type ArtifactSummary, renderJson } from "../../diagnostics/render-json.js";
import { renderSarif } from "../../diagnostics/render-sarif.js";
import { renderText } from "../../diagnostics/render-text.js";
import { counted } from "../../diagnostics/wording.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { packageVersion } from "../package-file.js";
import { type Terminal, wantsColor } from "../terminal.js";
import { writeOutput } from "../write-output.js";

export const FORMATS = ["text", "json", "sarif", "github"] as const;
export type Format = (typeof FORMATS)[number];

/** What `compile` and `check` were asked to do. */
export interface CompileArguments {
  readonly pack: string;
  /** Null writes nothing. */
  readonly out: string | null;
  readonly format: Format;
  readonly tools?: string;
  readonly warningsAsErrors: boolean;
}

function demandFolder(pack: string, cwd: string): string {
  const folder = resolve(cwd, pack);
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) throw new UsageError(`\`${pack}\` is not a folder; give the folder that holds the contracts`);
  return folder;
}

function demandFile(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false) return path;
  throw new UsageError(`\`${file}\` is not a file; give the tool definitions as a JSON file`);
}

/** The default place of an artifact: inside its pack, where only YAML files are read. */
export function defaultOut(pack: string): string {
  return join(pack, "artifact.json");
}

function summaryLine({ artifact }: Compiled, summary: ArtifactSummary): string {
  const tools = artifact?.packs.reduce((sum, { tools }) => sum + tools.length, 0) ?? 0;
  const target = summary.path === undefined ? "no errors" : `wrote ${summary.path}`;
  return `${counted(tools, "tool")} compiled, ${target}\n${summary.hash}\n`;
}

function render(
  terminal: Terminal,
  given: CompileArguments,
  result: { ok: boolean; summary: ArtifactSummary | null; compiled: Compiled },
): void {
  const { ok, summary, compiled } = result;
  const findings: readonly Diagnostic[] = compiled.diagnostics;
  // Annotations and code-scanning results name files from where the command runs, usually the repository's root.
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderJson(ok, summary, findings));
      return;
    case "sarif":
      terminal.stdout.write(renderSarif(findings, { version: packageVersion(), rules: RULES, fileOf }));
      return;
    case "github":
      terminal.stdout.write(renderGithub(findings, fileOf));
      return;
    case "text":
      terminal.stdout.write(renderText(findings, wantsColor(terminal)));
      if (ok && summary !== null)
        terminal.stdout.write(`${findings.length > 0 ? "\n" : ""}${summaryLine(compiled, summary)}`);
  }
}

/** Compiles a pack, reports every finding, and writes the artifact when all is well. */
export function compileCommand(terminal: Terminal, given: CompileArguments): ExitCode {
  const folder = demandFolder(given.pack, terminal.cwd);
  const tools = given.tools === undefined ? undefined : demandFile(given.tools, terminal.cwd);
  const compiled = compileFolder(folder, tools);
  const { artifact, diagnostics } = compiled;
  const ok = artifact !== null && !(given.warningsAsErrors && diagnostics.length > 0);
  let summary: ArtifactSummary | null = null;
  if (ok) {
    if (given.out !== null) writeOutput(resolve(terminal.cwd, given.out), encodeArtifact(artifact), "the artifact");
    summary = given.out === null ? { hash: artifact.hash } : { hash: artifact.hash, path: given.out };
  }
  render(terminal, given, { ok, summary, compiled });
  return ok ? EXIT.clean : EXIT.findings;
}
