import { clean } from "../../../base/clean.js";
import { IN_WORDS, type Wording } from "../../trace/trace-words.js";

/** Characters that no printed text holds, around what is to be shown as code. */
const OPEN = "\u0002";
const CLOSE = "\u0003";

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Text in which nothing is markup, a mention, a link, a formula or the end of a table cell. */
export function escaped(text: string): string {
  return clean(text)
    .replace(/[&<>\\`*_[\]#!|~@$]/g, entity)
    .replace(/:(?=[\w+/-])|(?<=www)\./gi, entity);
}

/** Text as code that nothing in it can end; a bar would end a table cell, even in code. */
export function code(text: string): string {
  const line = clean(text).replaceAll("|", "\\|");
  if (line.trim() === "") return escaped(line);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const isTouching = line.startsWith("`") || line.endsWith("`");
  return isTouching ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** A sentence; names in backticks are shown as code. */
export function prose(text: string): string {
  const parts = text.split("`");
  const last = parts.length - 1;
  return parts.map((part, at) => (at % 2 === 1 && at < last ? code(part) : escaped(part))).join("");
}

/** The wording of `IN_WORDS`, with JSON between marks. */
export const MARKED: Wording = {
  ...IN_WORDS,
  value: (value) => `${OPEN}${IN_WORDS.value(value)}${CLOSE}`,
  label: (label) => `the session gets the label ${OPEN}${IN_WORDS.value(label)}${CLOSE}`,
};

/** A line of a session, its JSON shown as code. */
export function markedLine(text: string): string {
  return text
    .split(OPEN)
    .map((part, at) => {
      const end = at === 0 ? -1 : part.indexOf(CLOSE);
      return end === -1 ? escaped(part) : code(part.slice(0, end)) + escaped(part.slice(end + 1));
    })
    .join("");
}
