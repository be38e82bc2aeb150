import { posix, relative, resolve, sep } from "node:path";
import type { Artifact } from "../../artifact/compiled.js";
import { cleanLine } from "../../base/clean.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import { observedBy } from "../../golden/play-case.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { TestCoverage } from "../golden/coverage.js";
import { IdleBinds, idleBindsExtra } from "../golden/idle-binds.js";
import { renderJunit } from "../golden/render-junit.js";
import { type Extra, renderTestsJson, renderTestsText } from "../golden/render-tests.js";
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
  readonly extras: readonly Extra[];
}

function renderPlain({ results, errors, extras }: Played): string {
  return `${errors === "" ? renderTestsText(results) : ""}${extras.map(({ text }) => text).join("")}`;
}

/** Prints the tests played. */
function print(terminal: Terminal, given: TestArguments, played: Played): void {
  const { results, errors, extras } = played;
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderTestsJson(results, errors !== "", extras));
      return;
    case "junit":
      terminal.stdout.write(renderJunit(results, { name: folder === "" ? "." : folder, fileOf, errors }));
      // Its form has no place for more.
      terminal.stderr.write(extras.map(({ text }) => text).join(""));
      return;
    case "text":
      terminal.stdout.write(renderPlain(played));
  }
}

/** The coverage of the tests that were played, which need not be loaded for others. */
async function coverageOf(observers: readonly TestCoverage[], min: number): Promise<Extra> {
  const { coverageExtra } = await import("../golden/render-coverage.js");
  return coverageExtra(
    observers.flatMap((each) => each.sides()),
    min,
  );
}

async function mutationOf(terminal: Terminal, artifact: Artifact, tests: PackTests): Promise<Extra> {
  const [{ MutationRun }, { mutationExtra }] = await Promise.all([
    import("../golden/mutation.js"),
    import("../golden/render-mutation.js"),
  ]);
  const run = new MutationRun(artifact, tests, terminal.env);
  return mutationExtra(await run.run((size) => new Progress(terminal, size)));
}

interface TestRun {
  readonly code: ExitCode;
  /** False where the pack does not compile. */
  readonly hasPlayed: boolean;
}

/** One run; `changed` are the files that it is for, null for all. */
async function runTests(
  terminal: Terminal,
  given: TestArguments,
  changed: ReadonlySet<string> | null,
): Promise<TestRun> {
  const folder = requireFolder(given.pack, terminal.cwd);
  const { artifact, golden, scenarios, diagnostics } = compileFolder(folder, readOptions(given, folder, terminal.cwd));
  if (artifact === null) {
    terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
    print(terminal, given, { results: [], errors: renderText(diagnostics, false), extras: [] });
    return { code: EXIT.findings, hasPlayed: false };
  }
  const coverages = given.coverage === null ? [] : artifact.packs.map((pack) => new TestCoverage(pack));
  const binds = artifact.packs.map((pack) => new IdleBinds(pack));
  const observers = binds.map((each, at) => observedBy([each, ...coverages.slice(at, at + 1)]));
  const tests = touched(chosen({ golden, scenarios }, given.only), changed);
  const results = await playTests(artifact, tests, terminal.env, observers);
  const hasPassed = results.every(({ ok }) => ok);
  const extras: Extra[] = [];
  // Some of the tests alone need not have an output of each kind.
  const isWhole = given.only === null && changed === null;
  const idle = isWhole ? idleBindsExtra(binds.flatMap((each) => each.all())) : null;
  if (idle !== null) extras.push(idle);
  if (given.coverage !== null) extras.push(await coverageOf(coverages, given.coverage.min));
  // A test that fails anyway notices nothing.
  if (given.mutate && hasPassed) extras.push(await mutationOf(terminal, artifact, tests));
  print(terminal, given, { results, errors: "", extras });
  const code = hasPassed && extras.every(({ isEnough }) => isEnough) ? EXIT.clean : EXIT.findings;
  return { code, hasPlayed: true };
}

/** Runs again whenever a file of the pack changes; ends with the result of the last run. */
async function watchTests(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  const { ChangedFiles } = await import("../golden/changed-files.js");
  const files = new ChangedFiles(requireFolder(given.pack, terminal.cwd));
  // All tests together are covered or not, and notice a mutant or not.
  const isAboutAll = given.coverage !== null || given.mutate;
  try {
    let run = await runTests(terminal, given, null);
    // What was changed while the pack did not compile is still to be played.
    const unplayed = new Set<string>(run.hasPlayed ? [] : ["."]);
    for (;;) {
      terminal.stderr.write("waiting for changes\n");
      const changed = await files.next();
      if (changed === null) return run.code;
      terminal.stderr.write(`${cleanLine(`changed: ${[...changed].join(", ")}`)}\n`);
      for (const file of changed) unplayed.add(file);
      run = await runTests(terminal, given, isAboutAll ? null : unplayed);
      if (run.hasPlayed) unplayed.clear();
    }
  } finally {
    files.close();
  }
}

/** Plays the golden cases and scenarios of a pack on the shipped guard. */
export async function testCommand(terminal: Terminal, given: TestArguments): Promise<ExitCode> {
  return given.watch ? watchTests(terminal, given) : (await runTests(terminal, given, null)).code;
}
