import { cleanLines } from "../base/clean.js";

/** Markup that is inserted into a page unescaped. */
export interface Markup {
  readonly markup: string;
}

/** What markup can contain: text is escaped, lists are joined, null is nothing. */
export type Part = Markup | string | number | null | readonly Part[];

/** Escaped text; characters that XML does not allow become a replacement character. */
export function escapeText(value: string): string {
  return cleanLines(value)
    .replace(/[\ufffe\uffff]/g, "\ufffd")
    .replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`);
}

function textOf(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string") return escapeText(part);
  if (typeof part === "number") return String(part);
  return "markup" in part ? part.markup : part.map(textOf).join("");
}

/** Builds markup; every text in a placeholder is escaped, also within quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.map((text, index) => `${text}${textOf(parts[index] ?? null)}`).join("") };
}

/** JSON within a script element: nothing in it can end the element or start a comment. */
export function scriptJson(value: unknown): Markup {
  const json = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? cleanLines(part) : part,
  ).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return { markup: json };
}
