import { posix, relative, resolve, sep } from "node:path";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import type { RuleSides } from "../../report/rule-sides.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { TestCoverage } from "../golden/coverage.js";
import { coverageJson, coveredPercent, renderCoverageText } from "../golden/render-coverage.js";
import { renderJunit } from "../golden/render-junit.js";
import { renderTestsJson, renderTestsText } from "../golden/render-tests.js";
import type { TestResult } from "../golden/test-result.js";
import { chosen, playTests } from "../golden/tests-of-pack.js";
import type { TestFormat } from "../output-formats.js";
import { readOptions, requireFolder } from "../pack-folder.js";
import { type Terminal, wantsColor } from "../terminal.js";

/** What `test` was asked to do. */
export interface TestArguments {
  readonly pack: string;
  readonly format: TestFormat;
  /** The one id to play, of whichever tools; null for all. */
  readonly only: string | null;
  /** Whether to say what the tests exercise, and the percentage below which it is not enough; null if not. */
  readonly coverage: { readonly min: number } | null;
  readonly tools?: string;
  /** Files below this folder may be read; only the pack's own unless given. */
  readonly root?: string;
}

/** What was found. */
interface Played {
  readonly results: readonly TestResult[];
  /** The errors of a pack that does not compile, else empty. */
  readonly errors: string;
  /** Null where it was not asked for. */
  readonly coverage: readonly RuleSides[] | null;
}

/** Prints the tests played. */
function print(terminal: Terminal, given: TestArguments, { results, errors, coverage }: Played): void {
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(
        renderTestsJson(results, errors !== "", coverage === null ? {} : { coverage: coverageJson(coverage) }),
      );
      return;
    case "junit":
      terminal.stdout.write(renderJunit(results, { name: folder === "" ? "." : folder, fileOf, errors }));
      return;
    case "text":
      if (errors === "") terminal.stdout.write(renderTestsText(results));
      if (coverage !== null) terminal.stdout.write(renderCoverageText(coverage));
  }
}

/** Plays the golden cases and scenarios of a pack on the shipped guard. */
export async function testCommand(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, golden, scenarios, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact === null) {
    terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
    print(terminal, given, { results: [], errors: renderText(diagnostics, false), coverage: null });
    return EXIT.findings;
  }
  const observers = given.coverage === null ? [] : artifact.packs.map((pack) => new TestCoverage(pack));
  const tests = chosen({ golden, scenarios }, given.only);
  const results = await playTests(artifact, tests, terminal.env, observers);
  const coverage = given.coverage === null ? null : observers.flatMap((each) => each.sides());
  print(terminal, given, { results, errors: "", coverage });
  const isEnough = coverage === null || coveredPercent(coverage) >= (given.coverage?.min ?? 0);
  return isEnough && results.every(({ ok }) => ok) ? EXIT.clean : EXIT.findings;
}
