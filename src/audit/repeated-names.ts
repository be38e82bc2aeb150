import { isJsonList, type Json } from "../base/json.js";

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** Where the string ends that begins at a quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** How many members the objects of a text have. */
function membersIn(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COLON) members += 1;
    else if (unit === QUOTE) at = endOfString(text, at);
  }
  return members;
}

/** How many members the objects of a value have. Not recursive: whoever wrote it may have nested it as deep as they liked. */
function membersOf(value: Json): number {
  let members = 0;
  const left: Json[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: readonly Json[] = isJsonList(next) ? next : Object.values(next);
    if (!isJsonList(next)) members += inner.length;
    for (const each of inner) left.push(each);
  }
  return members;
}

/**
 * Whether an object of a text names a member twice. Which of the two counts differs from reader to reader: what is checked here
 * need not be what somebody else sees. `value` is what the text was parsed to.
 */
export function repeatsNames(text: string, value: Json): boolean {
  return membersIn(text) !== membersOf(value);
}

/** What is wrong with such a text. */
export const REPEATED = "a name is there twice";
