import { posix, relative, resolve, sep } from "node:path";
import type { Artifact } from "../../artifact/compiled.js";
import { cleanLine } from "../../base/clean.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import type { RuleSides } from "../../report/rule-sides.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { TestCoverage } from "../golden/coverage.js";
import type { Mutation } from "../golden/mutation-result.js";
import { coverageJson, coveredPercent, renderCoverageText } from "../golden/render-coverage.js";
import { renderJunit } from "../golden/render-junit.js";
import { mutationJson, renderMutationText } from "../golden/render-mutation.js";
import { renderTestsJson, renderTestsText } from "../golden/render-tests.js";
import type { TestResult } from "../golden/test-result.js";
import { chosen, type PackTests, playTests, touched } from "../golden/tests-of-pack.js";
import type { TestFormat } from "../output-formats.js";
import { readOptions, requireFolder } from "../pack-folder.js";
import { Progress } from "../replay/progress.js";
import { type Terminal, wantsColor } from "../terminal.js";

/** What `test` was asked to do. */
export interface TestArguments {
  readonly pack: string;
  readonly format: TestFormat;
  /** The one id to play, of whichever tools; null for all. */
  readonly only: string | null;
  /** Whether to say what the tests exercise, and the percentage below which it is not enough; null if not. */
  readonly coverage: { readonly min: number } | null;
  /** Whether to play the tests on weaker forms of the pack too. */
  readonly mutate: boolean;
  /** Whether to run again after every change, until interrupted. */
  readonly watch: boolean;
  readonly tools?: string;
  /** Files below this folder may be read; only the pack's own unless given. */
  readonly root?: string;
}

/** What was found. */
interface Played {
  readonly results: readonly TestResult[];
  /** The errors of a pack that does not compile, else empty. */
  readonly errors: string;
  /** Null where it was not asked for; mutants are not played where tests fail. */
  readonly coverage: readonly RuleSides[] | null;
  readonly mutation: Mutation | null;
}

function renderJson({ results, errors, coverage, mutation }: Played): string {
  return renderTestsJson(results, errors !== "", {
    ...(coverage === null ? {} : { coverage: coverageJson(coverage) }),
    ...(mutation === null ? {} : { mutation: mutationJson(mutation) }),
  });
}

function renderPlain({ results, errors, coverage, mutation }: Played): string {
  const tests = errors === "" ? renderTestsText(results) : "";
  const covered = coverage === null ? "" : renderCoverageText(coverage);
  return `${tests}${covered}${mutation === null ? "" : renderMutationText(mutation)}`;
}

/** Prints the tests played. */
function print(terminal: Terminal, given: TestArguments, played: Played): void {
  const { results, errors } = played;
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderJson(played));
      return;
    case "junit":
      terminal.stdout.write(renderJunit(results, { name: folder === "" ? "." : folder, fileOf, errors }));
      return;
    case "text":
      terminal.stdout.write(renderPlain(played));
  }
}

async function mutationOf(terminal: Terminal, artifact: Artifact, tests: PackTests): Promise<Mutation> {
  const { MutationRun } = await import("../golden/mutation.js");
  return new MutationRun(artifact, tests, terminal.env).run((size) => new Progress(terminal, size));
}

function isEnough({ results, coverage, mutation }: Played, { coverage: asked }: TestArguments): boolean {
  if (coverage !== null && coveredPercent(coverage) < (asked?.min ?? 0)) return false;
  return results.every(({ ok }) => ok) && (mutation === null || mutation.survivors.length === 0);
}

/** One run; `changed` are the files that it is for, null for all. */
async function runTests(
  terminal: Terminal,
  given: TestArguments,
  changed: ReadonlySet<string> | null,
): Promise<ExitCode> {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, golden, scenarios, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact === null) {
    terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
    print(terminal, given, { results: [], errors: renderText(diagnostics, false), coverage: null, mutation: null });
    return EXIT.findings;
  }
  const observers = given.coverage === null ? [] : artifact.packs.map((pack) => new TestCoverage(pack));
  const tests = touched(chosen({ golden, scenarios }, given.only), changed);
  const results = await playTests(artifact, tests, terminal.env, observers);
  const coverage = given.coverage === null ? null : observers.flatMap((each) => each.sides());
  // A test that fails anyway notices nothing.
  const mutates = given.mutate && results.every(({ ok }) => ok);
  const mutation = mutates ? await mutationOf(terminal, artifact, tests) : null;
  const played = { results, errors: "", coverage, mutation };
  print(terminal, given, played);
  return isEnough(played, given) ? EXIT.clean : EXIT.findings;
}

/** Runs again whenever a file of the pack changes; ends with the result of the last run. */
async function watchTests(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  const { ChangedFiles } = await import("../golden/changed-files.js");
  const files = new ChangedFiles(requireFolder(given.pack, terminal.cwd));
  // All tests together are covered or not, and notice a mutant or not.
  const isAboutAll = given.coverage !== null || given.mutate;
  try {
    let code = await runTests(terminal, given, null);
    for (;;) {
      terminal.stderr.write("waiting for changes\n");
      const changed = await files.next();
      if (changed === null) return code;
      terminal.stderr.write(`${cleanLine(`changed: ${[...changed].join(", ")}`)}\n`);
      code = await runTests(terminal, given, isAboutAll ? null : changed);
    }
  } finally {
    files.close();
  }
}

/** Plays the golden cases and scenarios of a pack on the shipped guard. */
export async function testCommand(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  return given.watch ? watchTests(terminal, given) : runTests(terminal, given, null);
}
