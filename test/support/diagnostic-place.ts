import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { plainDiagnostic } from "../../src/diagnostics/render-json.js";
import type { Span } from "../../src/diagnostics/source.js";

const MOST_NAMED = 5;

function isInside({ source, start, end }: Span): boolean {
  return 0 <= start && start <= end && end <= source.text.length;
}

function isPlaced(diagnostic: Diagnostic): boolean {
  const { file, line, column } = plainDiagnostic(diagnostic);
  const spans = [diagnostic.span, ...(diagnostic.related ?? []).map(({ span }) => span)];
  return file !== "" && line >= 1 && column >= 1 && spans.every(isInside);
}

/** The first few findings that point at no place inside their file. */
export function misplaced(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics
    .filter((diagnostic) => !isPlaced(diagnostic))
    .slice(0, MOST_NAMED)
    .map(({ code, span: { source, start, end } }) => {
      return `${code} at ${start} to ${end} of ${source.name}, which has ${source.text.length} characters`;
    });
}
