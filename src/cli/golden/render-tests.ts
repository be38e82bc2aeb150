import type { Place } from "../../artifact/compiled-value.js";
import { cleanLine, jsonText } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import type { TestResult } from "./test-result.js";

function placeWords({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** One line, whatever the names in the pack are; it begins with a fixed word, so that no name is taken for a command. */
function failureLine({ at, failure }: TestResult): string {
  if (failure === null) return "";
  const { message, rule, help } = failure;
  const parts = [
    `FAIL ${placeWords(at)} ${message}`,
    ...(rule === null ? [] : [`rule: ${placeWords(rule)}`]),
    `help: ${help}`,
  ];
  return `${cleanLine(parts.join("; "))}\n`;
}

/** How many passed and failed. */
export function tallyOf(results: readonly TestResult[]): { readonly passed: number; readonly failed: number } {
  const passed = results.filter(({ ok }) => ok).length;
  return { passed, failed: results.length - passed };
}

/** The tests that failed, for a person, and how many did not. */
export function renderTestsText(results: readonly TestResult[]): string {
  if (results.length === 0) return "the pack has neither golden cases nor scenarios\n";
  const { passed, failed } = tallyOf(results);
  return `${results.map(failureLine).join("")}${counted(results.length, "test")}: ${passed} passed, ${failed} failed\n`;
}

/** What else was found about the tests. */
export interface Extra {
  /** Under which programs find it. */
  readonly name: "coverage" | "mutation" | "warnings";
  readonly json: object;
  /** The same for a person. */
  readonly text: string;
  readonly isEnough: boolean;
}

/** All tests, for programs. A pack with errors has none and is not ok. */
export function renderTestsJson(
  results: readonly TestResult[],
  hasErrors: boolean,
  extras: readonly Extra[] = [],
): string {
  const tests = results.map(({ id, tool, at: { file, line }, ok, expected, actual }) => ({
    ...{ id, tool, file, line, ok, expected, actual },
  }));
  const summary = tallyOf(results);
  const more = Object.fromEntries(extras.map(({ name, json }) => [name, json]));
  return `${jsonText({ ok: !hasErrors && summary.failed === 0, tests, summary, ...more })}\n`;
}
