import type { Span } from "./source.js";

/** An `error` makes the artifact wrong or unsafe; a `warning` can be suppressed with a reason. */
export type Severity = "error" | "warning";

/** A second place that explains the first, e.g. where a duplicate key was set before. */
export interface RelatedPlace {
  readonly span: Span;
  readonly message: string;
}

/** A mistake in a pack, described but not yet rendered. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly help?: string;
  readonly span: Span;
  readonly related?: readonly RelatedPlace[];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order of all output: file, offset, code, message. */
function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.span.source.name, b.span.source.name) ||
    a.span.start - b.span.start ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

/** Sorts, and drops a finding that repeats another at the same place. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const sorted = [...diagnostics].sort(compareDiagnostics);
  return sorted.filter((diagnostic, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || compareDiagnostics(previous, diagnostic) !== 0;
  });
}

/** True when no finding prevents an artifact. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
