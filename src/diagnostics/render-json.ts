import { jsonText } from "../base/clean.js";
import type { Diagnostic, Severity } from "./diagnostic.js";
import { positionAt } from "./source.js";

/** A finding as plain data; lines and columns count from 1, the end is exclusive. */
export interface PlainDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly help?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A finding without its source, for programs. */
export function plainDiagnostic({ code, severity, message, help, span }: Diagnostic): PlainDiagnostic {
  const start = positionAt(span.source, span.start);
  const end = positionAt(span.source, span.end);
  return {
    code,
    severity,
    message,
    ...(help === undefined ? {} : { help }),
    file: span.source.name,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}

/** The artifact as the report names it. */
export interface ArtifactSummary {
  readonly hash: string;
  readonly path?: string;
}

/** One JSON document: whether the run succeeded, the artifact, every finding, and what else a command reports. */
export function renderJson(
  ok: boolean,
  artifact: ArtifactSummary | null,
  diagnostics: readonly Diagnostic[],
  more: object = {},
): string {
  return `${jsonText({ ok, artifact, diagnostics: diagnostics.map(plainDiagnostic), ...more })}\n`;
}
