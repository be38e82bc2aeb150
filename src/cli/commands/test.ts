import { posix, relative, resolve, sep } from "node:path";
import type { Artifact } from "../../artifact/compiled.js";
import type { PackGoldenCases } from "../../artifact/golden-case.js";
import type { PackScenarios } from "../../artifact/scenario.js";
import { suggest } from "../../base/suggest.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import { quoted } from "../../diagnostics/wording.js";
import { playGoldenCases, playingsOf } from "../../golden/play-golden-cases.js";
import { playScenario } from "../../golden/play-scenario.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { renderJunit } from "../golden/render-junit.js";
import { renderTestsJson, renderTestsText } from "../golden/render-tests.js";
import { caseResult, scenarioResult, type TestResult } from "../golden/test-result.js";
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

/** The tests of a pack. */
interface PackTests {
  readonly golden: readonly PackGoldenCases[];
  readonly scenarios: readonly PackScenarios[];
}

/** The tests with one id. Playing none because of a misspelt id would look like a pass. */
function chosen({ golden, scenarios }: PackTests, only: string | null): PackTests {
  if (only === null) return { golden, scenarios };
  const names = [...golden.flat().map(({ id }) => id), ...scenarios.flat().map(({ name }) => name)];
  if (!names.includes(only)) {
    const meant = suggest(only, names);
    const hint = meant === undefined ? "" : `; did you mean ${quoted(meant)}?`;
    throw new UsageError(`there is no golden case or scenario ${quoted(only)}${hint}`);
  }
  return {
    golden: golden.map((cases) => cases.filter(({ id }) => id === only)),
    scenarios: scenarios.map((each) => each.filter(({ name }) => name === only)),
  };
}

/** Plays the tests of each pack, golden cases first. */
async function resultsOf(artifact: Artifact, tests: PackTests, env: Terminal["env"]): Promise<readonly TestResult[]> {
  const cases = await playGoldenCases(artifact, tests.golden, env);
  const results = cases.map(caseResult);
  for (const [index, playing] of playingsOf(artifact, env).entries()) {
    for (const scenario of tests.scenarios[index] ?? [])
      results.push(scenarioResult(await playScenario(playing, scenario)));
  }
  return results;
}

/** Prints the tests played; `errors` are those of a pack that does not compile, else empty. */
function print(terminal: Terminal, given: TestArguments, results: readonly TestResult[], errors: string): void {
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderTestsJson(results, errors !== ""));
      return;
    case "junit":
      terminal.stdout.write(renderJunit(results, { name: folder === "" ? "." : folder, fileOf, errors }));
      return;
    case "text":
      if (errors === "") terminal.stdout.write(renderTestsText(results));
  }
}

/** Plays the golden cases and scenarios of a pack on the shipped guard. */
export async function testCommand(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, golden, scenarios, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact === null) {
    terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
    print(terminal, given, [], renderText(diagnostics, false));
    return EXIT.findings;
  }
  const results = await resultsOf(artifact, chosen({ golden, scenarios }, given.only), terminal.env);
  print(terminal, given, results, "");
  return results.every(({ ok }) => ok) ? EXIT.clean : EXIT.findings;
}
