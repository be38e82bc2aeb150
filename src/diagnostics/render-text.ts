import { clean, cleanLine } from "../base/clean.js";
import type { Diagnostic } from "./diagnostic.js";
import { lineText, positionAt, type Span } from "./source.js";
import { counted } from "./wording.js";

const MOST_SHOWN = 100;
const WIDEST = 160;

type Paint = (style: keyof typeof STYLES, text: string) => string;

const STYLES = { error: "31;1", warning: "33;1", caret: "36", faint: "2", bold: "1" } as const;

function painter(color: boolean): Paint {
  return (style, text) => (color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** A part of a long line around the underlined place, with tabs as single spaces so that carets line up. */
function excerpt(line: string, from: number): { readonly text: string; readonly shift: number } {
  const plain = clean(line);
  if (plain.length <= WIDEST) return { text: plain, shift: 0 };
  const start = from < WIDEST - 40 ? 0 : from - 40;
  const end = start + WIDEST;
  const text = `${start > 0 ? "…" : ""}${plain.slice(start, end)}${end < plain.length ? "…" : ""}`;
  return { text, shift: start > 0 ? start - 1 : 0 };
}

/** The source line and the word in it, underlined; nothing where the file has no text. */
function underlined(span: Span, paint: Paint): readonly string[] {
  if (span.source.text === "") return [];
  const { line, column } = positionAt(span.source, span.start);
  const whole = lineText(span.source, line);
  const { text, shift } = excerpt(whole, column - 1);
  const last = Math.min(span.end - span.start + column - 1, whole.length, shift + WIDEST);
  const width = Math.max(1, last - (column - 1));
  const gutter = String(line);
  const blank = " ".repeat(gutter.length);
  const carets = `^${"~".repeat(width - 1)}`;
  return [
    `  ${paint("faint", `${gutter} |`)} ${text}`,
    `  ${paint("faint", `${blank} |`)} ${" ".repeat(column - 1 - shift)}${paint("caret", carets)}`,
  ];
}

function address(span: Span): string {
  const { line, column } = positionAt(span.source, span.start);
  return `${cleanLine(span.source.name)}:${line}:${column}`;
}

function renderOne(diagnostic: Diagnostic, paint: Paint): string {
  const { severity, message, code, help, span, related = [] } = diagnostic;
  const lines = [
    `${paint("bold", address(span))}: ${paint(severity, severity)}: ${clean(message)} ${paint("faint", `[${code}]`)}`,
    ...underlined(span, paint),
  ];
  for (const place of related)
    lines.push(`  note: ${clean(place.message)}: ${address(place.span)}`, ...underlined(place.span, paint));
  if (help !== undefined) lines.push(`  help: ${clean(help)}`);
  return `${lines.join("\n")}\n`;
}

/** `2 errors, 1 warning`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  return [errors > 0 ? counted(errors, "error") : "", warnings > 0 ? counted(warnings, "warning") : ""]
    .filter(Boolean)
    .join(", ");
}

/** Findings for a person: where, what, the line with the word underlined, how to fix it. */
export function renderText(diagnostics: readonly Diagnostic[], color: boolean): string {
  if (diagnostics.length === 0) return "";
  const paint = painter(color);
  const shown = diagnostics.slice(0, MOST_SHOWN).map((diagnostic) => renderOne(diagnostic, paint));
  const hidden = diagnostics.length - shown.length;
  const rest = hidden > 0 ? [`… and ${hidden} more\n`] : [];
  return `${[...shown, ...rest].join("\n")}\n${tally(diagnostics)}\n`;
}
