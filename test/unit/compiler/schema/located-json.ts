import { isJsonObject, type Json, type JsonObject } from "../../../../src/base/json.js";
import { type LoweredSchema, lowerSchema } from "../../../../src/compiler/schema/lower-schema.js";
import { positionAt, type Span } from "../../../../src/diagnostics/source.js";
import { locate } from "../../../../src/language/located.js";

interface Printer {
  readonly source: { readonly name: string; text: string };
}

function spanFrom({ source }: Printer, start: number): Span {
  return { source, start, end: source.text.length };
}

function printScalar(printer: Printer, value: Json): Span {
  const start = printer.source.text.length;
  printer.source.text += JSON.stringify(value);
  return spanFrom(printer, start);
}

function printList(printer: Printer, value: readonly Json[]): { copy: Json; span: Span } {
  const start = printer.source.text.length;
  const values = new Map<string, Span>();
  printer.source.text += "[";
  const copy = value.map((item, index) => {
    if (index > 0) printer.source.text += ",";
    const printed = print(printer, item);
    values.set(String(index), printed.span);
    return printed.copy;
  });
  printer.source.text += "]";
  const span = spanFrom(printer, start);
  return { copy: locate(copy, { self: span, keys: new Map(), values }), span };
}

function printObject(printer: Printer, value: JsonObject): { copy: JsonObject; span: Span } {
  const start = printer.source.text.length;
  const keys = new Map<string, Span>();
  const values = new Map<string, Span>();
  const copy: Record<string, Json> = Object.create(null);
  printer.source.text += "{";
  Object.entries(value).forEach(([key, item], index) => {
    if (index > 0) printer.source.text += ",";
    keys.set(key, printScalar(printer, key));
    printer.source.text += ":";
    const printed = print(printer, item);
    values.set(key, printed.span);
    copy[key] = printed.copy;
  });
  printer.source.text += "}";
  const span = spanFrom(printer, start);
  return { copy: locate(copy, { self: span, keys, values }), span };
}

function print(printer: Printer, value: Json): { copy: Json; span: Span } {
  if (isJsonObject(value)) return printObject(printer, value);
  if (typeof value !== "object" || value === null) return { copy: value, span: printScalar(printer, value) };
  return printList(printer, value);
}

/** The same JSON as a reader would give it: without prototypes, each part located in its printed text. */
export function located(value: JsonObject): JsonObject {
  return printObject({ source: { name: "tools.json", text: "" } }, value).copy;
}

/** Lowers a schema given as plain JSON. */
export function lower(schema: JsonObject | boolean): LoweredSchema {
  return lowerSchema(typeof schema === "boolean" ? schema : located(schema), ({ source, start }) => ({
    file: source.name,
    line: positionAt(source, start).line,
  }));
}

/** The text that a span underlines. */
export function underlined({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}
