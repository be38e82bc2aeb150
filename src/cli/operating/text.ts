import { clean } from "../../base/clean.js";
import { isJsonObject, type Json } from "../../base/json.js";

/** A point in time as people read it. */
export function time(ms: number | null): string {
  if (ms === null) return "-";
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** JSON on one line. */
export function inline(value: Json): string {
  return JSON.stringify(value);
}

/** Rows below their titles, each column as wide as its widest cell; texts of others cannot harm the terminal. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [titles, ...rows].map((row) => row.map(clean));
  const widths = titles.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ");
  return all.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/** A number of things: `1 call`, `2 calls`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

/** Named values, one on each line. */
export function fields(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${clean(name).padEnd(width)}  ${clean(value)}`.trimEnd()).join("\n");
}

/** The text at a path of names; "" if there is none. */
export function textAt(value: Json | undefined, ...names: readonly string[]): string {
  let found: Json | undefined = value;
  for (const name of names) found = found !== undefined && isJsonObject(found) ? found[name] : undefined;
  return typeof found === "string" ? found : "";
}
