import type { Artifact } from "../../artifact/compiled.js";
import type { GoldenCase, PackGoldenCases } from "../../artifact/golden-case.js";
import type { PackScenarios, Scenario } from "../../artifact/scenario.js";
import { suggest } from "../../base/suggest.js";
import { quoted } from "../../diagnostics/wording.js";
import { type Observer, type Playing, playCase } from "../../golden/play-case.js";
import { playingsOf } from "../../golden/play-golden-cases.js";
import { playScenario } from "../../golden/play-scenario.js";
import { UsageError } from "../exit-code.js";
import { caseResult, scenarioResult, type TestResult } from "./test-result.js";

/** The tests of all packs of an artifact, aligned with them. */
export interface PackTests {
  readonly golden: readonly PackGoldenCases[];
  readonly scenarios: readonly PackScenarios[];
}

/** The tests with one id. Playing none because of a misspelt id would look like a pass. */
export function chosen({ golden, scenarios }: PackTests, only: string | null): PackTests {
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

/** The tests that changed files touch: those scenarios, if nothing else changed, and else all. */
export function touched({ golden, scenarios }: PackTests, changed: ReadonlySet<string> | null): PackTests {
  const files = new Set(scenarios.flat().map(({ at }) => at.file));
  if (changed === null || [...changed].some((file) => !files.has(file))) return { golden, scenarios };
  return {
    golden: golden.map(() => []),
    scenarios: scenarios.map((each) => each.filter(({ at }) => changed.has(at.file))),
  };
}

/** One test of a pack. */
export type PackTest =
  | { readonly kind: "case"; readonly golden: GoldenCase }
  | { readonly kind: "scenario"; readonly scenario: Scenario };

/** The tests of one pack, golden cases first. */
export function testsAt({ golden, scenarios }: PackTests, index: number): readonly PackTest[] {
  return [
    ...(golden[index] ?? []).map((each): PackTest => ({ kind: "case", golden: each })),
    ...(scenarios[index] ?? []).map((each): PackTest => ({ kind: "scenario", scenario: each })),
  ];
}

/** Plays one test on a guard of its own. */
export async function playTest(playing: Playing, test: PackTest): Promise<TestResult> {
  return test.kind === "case"
    ? caseResult(await playCase(playing, test.golden))
    : scenarioResult(await playScenario(playing, test.scenario));
}

/** Plays all tests: the golden cases of every pack, then the scenarios. */
export async function playTests(
  artifact: Artifact,
  { golden, scenarios }: PackTests,
  env: Playing["env"],
  observers: readonly Observer[] = [],
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const playings = playingsOf(artifact, env, observers);
  for (const kind of [
    { golden, scenarios: [] },
    { golden: [], scenarios },
  ]) {
    for (const [index, playing] of playings.entries()) {
      for (const test of testsAt(kind, index)) results.push(await playTest(playing, test));
    }
  }
  return results;
}
