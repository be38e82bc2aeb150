import { jsonText } from "../base/clean.js";
import type { Diagnostic, Severity } from "./diagnostic.js";
import { plainDiagnostic } from "./render-json.js";
import { positionAt, type Span } from "./source.js";

/** What SARIF lists about a rule once, besides its findings. */
export interface SarifRule {
  readonly code: string;
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A file name may contain a lone surrogate, which no URI can. */
function fileUri(file: string): string {
  const wellFormed = new TextDecoder().decode(new TextEncoder().encode(file));
  return wellFormed.split("/").map(encodeURIComponent).join("/");
}

function location(span: Span, fileOf: (file: string) => string): object {
  const start = positionAt(span.source, span.start);
  const end = positionAt(span.source, span.end);
  return {
    physicalLocation: {
      artifactLocation: { uri: fileUri(fileOf(span.source.name)) },
      region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
    },
  };
}

function result(
  diagnostic: Diagnostic,
  indexOf: ReadonlyMap<string, number>,
  fileOf: (file: string) => string,
): object {
  const { code, severity, message, help } = plainDiagnostic(diagnostic);
  const related = (diagnostic.related ?? []).map((place) => ({
    ...location(place.span, fileOf),
    message: { text: place.message },
  }));
  return {
    ruleId: code,
    ruleIndex: indexOf.get(code) ?? -1,
    level: severity,
    message: { text: help === undefined ? message : `${message}; ${help}` },
    locations: [location(diagnostic.span, fileOf)],
    ...(related.length === 0 ? {} : { relatedLocations: related }),
  };
}

interface SarifOptions {
  readonly version: string;
  readonly rules: readonly SarifRule[];
  readonly fileOf: (file: string) => string;
}

/** A SARIF 2.1.0 log, for code-scanning services. */
export function renderSarif(diagnostics: readonly Diagnostic[], { version, rules, fileOf }: SarifOptions): string {
  const used = new Set(diagnostics.map(({ code }) => code));
  const shown = rules.filter(({ code }) => used.has(code));
  const indexOf = new Map(shown.map(({ code }, index) => [code, index]));
  const driver = {
    name: "contract-guard",
    version,
    rules: shown.map(({ code, severity, what, why, fix }) => ({
      id: code,
      shortDescription: { text: what },
      fullDescription: { text: why },
      help: { text: fix },
      defaultConfiguration: { level: severity },
    })),
  };
  const log = {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [
      {
        tool: { driver },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => result(diagnostic, indexOf, fileOf)),
      },
    ],
  };
  return `${jsonText(log)}\n`;
}
