import type { Trace } from "../../analysis/trace/trace.js";
import { IN_SHORT, principalLines, stepText } from "../../analysis/trace/trace-words.js";

/** Of a long session only the beginning and the end are shown. */
const MOST_STEPS = 12;

/** A session as numbered lines. */
export function traceLines({ principal, steps }: Trace): readonly string[] {
  const width = String(steps.length).length;
  const lines = steps.map((step, at) => {
    const phase = step.phase === null ? "" : ` (${step.phase})`;
    return `${String(at + 1).padStart(width)}. ${stepText(step, IN_SHORT)}${phase}`;
  });
  const left = lines.length - MOST_STEPS;
  const shown =
    left <= 1
      ? lines
      : [...lines.slice(0, MOST_STEPS / 2), `${" ".repeat(width)}  … ${left} more`, ...lines.slice(-MOST_STEPS / 2)];
  return [...principalLines(principal, IN_SHORT), ...shown];
}
