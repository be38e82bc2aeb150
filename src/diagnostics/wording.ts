import { suggest } from "../base/suggest.js";

const LONGEST = 60;

/** A user's text for a message: in backticks, on one line, cut where it is long. */
export function quoted(text: string): string {
  const line = text
    .slice(0, LONGEST + 1)
    .replace(/\s/g, " ")
    .replaceAll("`", "'");
  return `\`${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}\``;
}

/** `a`, `b` or `c`. */
export function listed(items: readonly string[], last = "or"): string {
  const words = items.map(quoted);
  if (words.length <= 1) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What to do about an unknown name: take the one that was probably meant, or, if none is near, `otherwise`. */
export function didYouMean(name: string, known: Iterable<string>, otherwise: string): string {
  const meant = suggest(name, known);
  return meant === undefined ? otherwise : `did you mean ${quoted(meant)}?`;
}
