import type { Place } from "../../artifact/compiled-value.js";
import { cleanLine, jsonText } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import type { Actual, PlayedCase } from "../../golden/played-case.js";
import { actualWords, expectedWords, helpFor } from "./words.js";

function placeWords({ file, line }: Place): string {
  return `${file}:${line}`;
}

function ruleOf(actual: Actual): Place | null {
  return "rule" in actual ? actual.rule : null;
}

/** One line, whatever the names in the pack are; it begins with a fixed word, so that no name is taken for a command. */
function failureLine(played: PlayedCase): string {
  const { golden, actual } = played;
  const { at, tool, id, expected } = golden;
  const rule = ruleOf(actual);
  const parts = [
    `FAIL ${placeWords(at)} ${tool} ${id}: expected ${expectedWords(expected)}, but ${actualWords(actual)}`,
    ...(rule === null ? [] : [`rule: ${placeWords(rule)}`]),
    `help: ${helpFor(played)}`,
  ];
  return `${cleanLine(parts.join("; "))}\n`;
}

/** How many passed and failed. */
export function tallyOf(played: readonly PlayedCase[]): { readonly passed: number; readonly failed: number } {
  const passed = played.filter(({ ok }) => ok).length;
  return { passed, failed: played.length - passed };
}

/** The cases that failed, for a person, and how many did not. */
export function renderTestsText(played: readonly PlayedCase[]): string {
  if (played.length === 0) return "the pack has no golden cases\n";
  const failures = played.filter(({ ok }) => !ok).map(failureLine);
  const { passed, failed } = tallyOf(played);
  return `${failures.join("")}${counted(played.length, "golden case")}: ${passed} passed, ${failed} failed\n`;
}

function plainActual(actual: Actual): object {
  const rule = ruleOf(actual);
  return {
    kind: actual.kind,
    ...("reason" in actual ? { reason: actual.reason } : {}),
    ...(rule === null ? {} : { rule }),
  };
}

/** All cases, for programs. A pack with errors has none and is not ok. */
export function renderTestsJson(played: readonly PlayedCase[], hasErrors: boolean): string {
  const tests = played.map(({ golden: { id, tool, at, expected }, ok, actual }) => ({
    id,
    tool,
    file: at.file,
    line: at.line,
    ok,
    expected: { ok: expected.ok, ...(expected.reason === null ? {} : { reason: expected.reason }) },
    actual: plainActual(actual),
  }));
  const summary = tallyOf(played);
  return `${jsonText({ ok: !hasErrors && summary.failed === 0, tests, summary })}\n`;
}
