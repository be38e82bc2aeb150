import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json.js";

const LONGEST = 200;

/** The most characters of `required` and `found` in a refusal: a contract may list thousands of alternatives. */
const LONGEST_TEXT = 2000;

/** Texts that JSON writes as they are: `JSON.stringify` takes three times as long to find that out. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** JSON of a value, or at least its first `longest` characters: what is refused may be very large. */
function beginningOf(value: Json, longest: number): string {
  if (typeof value === "string") return quoted(value.slice(0, longest + 1));
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (isJsonList(value)) return `[${beginningOfAll(value, (item) => beginningOf(item, longest), { longest })}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const write = (key: string) => `${beginningOf(key, longest)}:${beginningOf(value[key] ?? null, longest)}`;
  return `{${beginningOfAll(firstKeys(value, longest), write, { longest })}}`;
}

/** Each key takes a few characters, so no more are needed; listing them all may take seconds. */
function firstKeys(value: JsonObject, most: number): readonly string[] {
  const keys: string[] = [];
  for (const key in value) {
    if (keys.length >= most) break;
    if (Object.hasOwn(value, key)) keys.push(key);
  }
  return keys;
}

function beginningOfAll<T>(
  items: Iterable<T>,
  write: (item: T) => string,
  { longest, separator = "," }: { readonly longest: number; readonly separator?: string },
): string {
  let text = "";
  for (const item of items) {
    if (text.length > longest) break;
    text += `${text === "" ? "" : separator}${write(item)}`;
  }
  return text;
}

function cutAt(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A text of a refusal, cut where it is long. */
export function cut(text: string): string {
  return cutAt(text, LONGEST_TEXT);
}

/** Parts of a text of a refusal; no more of them are written than will be shown. */
export function joined<T>(items: readonly T[], write: (item: T) => string, separator: string): string {
  return cut(beginningOfAll(items, write, { longest: LONGEST_TEXT, separator }));
}

/** A value for a refusal: JSON on one line, cut where it is long. */
export function show(value: Json | undefined): string {
  // Most values are short, and stand here as they are.
  if (typeof value === "string" && value.length < LONGEST - 1 && PLAIN.test(value)) return `"${value}"`;
  return value === undefined ? "nothing" : cutAt(beginningOf(value, LONGEST), LONGEST);
}

/** An object for a refusal that must not show all of it: the names of its members. */
export function showMembers(value: JsonObject): string {
  const names = firstKeys(value, LONGEST);
  if (names.length === 0) return "an empty object";
  return cutAt(
    `an object with ${beginningOfAll(names, (name) => beginningOf(name, LONGEST), { longest: LONGEST })}`,
    LONGEST,
  );
}

/** A part of a value for a refusal. The whole value, such as all arguments of a call, is not shown. */
export function showPart(part: Json | undefined, whole: Json): string {
  return part === whole && isJsonObject(part) ? showMembers(part) : show(part);
}

/** A value that a contract asks for: shown whole, unless no refusal could hold it. */
export function shownWhole(value: Json): string {
  return cut(beginningOf(value, LONGEST_TEXT));
}

/** `5,000,000`: long numbers in groups, so that their size can be seen. */
export function amount(value: number): string {
  const [whole = "", ...rest] = String(value).split(".");
  return /^-?\d{5,}$/.test(whole) ? [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...rest].join(".") : String(value);
}

/** `a, b or c`. */
export function listed(parts: readonly string[], last: "and" | "or"): string {
  const [only = "", ...others] = parts;
  const end = others.pop();
  return end === undefined ? only : `${[only, ...others].join(", ")} ${last} ${end}`;
}

/** A hint for a text that has the words of the policy already, with which hints end; null if nothing else is in it. */
export function hintBeside(hint: string, because: string | undefined): string | null {
  if (because === undefined) return hint;
  const ending = `; because: ${because}`;
  if (hint.endsWith(ending)) return hint.slice(0, -ending.length);
  return hint === because ? null : hint;
}
