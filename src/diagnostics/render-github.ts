import { clean } from "../base/clean.js";
import type { Diagnostic } from "./diagnostic.js";
import { plainDiagnostic } from "./render-json.js";

function escapeData(text: string): string {
  return clean(text).replaceAll("%", "%25");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Workflow commands that GitHub shows as annotations; `fileOf` gives a file's path in the repository. */
export function renderGithub(diagnostics: readonly Diagnostic[], fileOf: (file: string) => string): string {
  return diagnostics
    .map((diagnostic) => {
      const { code, severity, message, help, file, line, column, endLine, endColumn } = plainDiagnostic(diagnostic);
      const place = `file=${escapeProperty(fileOf(file))},line=${line},col=${column},endLine=${endLine},endColumn=${endColumn}`;
      const text = [message, ...(help === undefined ? [] : [help])].map(escapeData).join("%0A");
      return `::${severity} ${place},title=${escapeProperty(code)}::${text}\n`;
    })
    .join("");
}
