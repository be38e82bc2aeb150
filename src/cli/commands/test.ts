import { posix, relative, resolve, sep } from "node:path";
import type { PackGoldenCases } from "../../artifact/golden-case.js";
import { suggest } from "../../base/suggest.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import { quoted } from "../../diagnostics/wording.js";
import { playGoldenCases } from "../../golden/play-golden-cases.js";
import type { PlayedCase } from "../../golden/played-case.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { renderJunit } from "../golden/render-junit.js";
import { renderTestsJson, renderTestsText } from "../golden/render-tests.js";
import type { TestFormat } from "../output-formats.js";
import { readOptions, requireFolder } from "../pack-folder.js";
import { type Terminal, wantsColor } from "../terminal.js";

/** What `test` was asked to do. */
export interface TestArguments {
  readonly pack: string;
  readonly format: TestFormat;
  /** The one id to play, of whichever tools; null for all. */
  readonly only: string | null;
  readonly tools?: string;
  /** Files below this folder may be read; only the pack's own unless given. */
  readonly root?: string;
}

/** The cases with one id. Playing none because of a misspelt id would look like a pass. */
function chosen(golden: readonly PackGoldenCases[], only: string | null): readonly PackGoldenCases[] {
  if (only === null) return golden;
  const ids = golden.flat().map(({ id }) => id);
  if (ids.includes(only)) return golden.map((cases) => cases.filter(({ id }) => id === only));
  const meant = suggest(only, ids);
  const hint = meant === undefined ? "" : `; did you mean ${quoted(meant)}?`;
  throw new UsageError(`there is no golden case ${quoted(only)}${hint}`);
}

/** Prints the cases played; `errors` are those of a pack that does not compile, else empty. */
function print(terminal: Terminal, given: TestArguments, played: readonly PlayedCase[], errors: string): void {
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderTestsJson(played, errors !== ""));
      return;
    case "junit":
      terminal.stdout.write(renderJunit(played, { name: folder === "" ? "." : folder, fileOf, errors }));
      return;
    case "text":
      if (errors === "") terminal.stdout.write(renderTestsText(played));
  }
}

/** Plays the golden cases of a pack on the shipped guard. */
export async function testCommand(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, golden, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact === null) {
    terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
    print(terminal, given, [], renderText(diagnostics, false));
    return EXIT.findings;
  }
  const played = await playGoldenCases(artifact, chosen(golden, given.only), terminal.env);
  print(terminal, given, played, "");
  return played.every(({ ok }) => ok) ? EXIT.clean : EXIT.findings;
}
