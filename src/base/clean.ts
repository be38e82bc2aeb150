/** Soft hyphens and joiners are part of words in some scripts; all other format characters are not. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;
/** Most texts have nothing else, and finding that out is many times faster than looking for each of the others. */
const PRINTABLE = /^[ -~]*$/;
/** What a build server takes for a command, anywhere in a line. */
const COMMAND = /##(?=\w*\[)/g;

/**
 * Untrusted text as a part of a line: control and format characters (terminal escapes, line breaks, bidirectional
 * controls) and lone surrogates are replaced, so that they cannot move the cursor or forge a line; and so is what a build
 * server takes for a command anywhere in a line. The length stays the same, so that underlines stay in place.
 */
export function clean(text: string): string {
  return text
    .replaceAll("\t", " ")
    .replace(UNSAFE, (character) => "\ufffd".repeat(character.length))
    .replace(COMMAND, "# ");
}

/** Untrusted text at the start of a line, where a build server takes `::` for a command. */
export function cleanLine(text: string): string {
  return clean(text).replace(/^(\s*)::/, "$1: ");
}

/** Text of several lines, each of them clean. */
export function cleanLines(text: string): string {
  return text.split("\n").map(cleanLine).join("\n");
}

/** Replaces what could harm a terminal or a log by an escape of the format that the text is in. */
export function rewriteUnsafe(text: string, write: (character: string) => string): string {
  if (PRINTABLE.test(text) && !text.includes("##")) return text;
  return text.replace(UNSAFE, write).replace(COMMAND, (found) => `${write("#")}${found.slice(1)}`);
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** One line of JSON. What could harm a terminal is written as escapes, which are the same value. */
export function jsonLine(value: unknown): string {
  return rewriteUnsafe(JSON.stringify(value), escaped);
}

/** JSON for people and programs: the same value, with what could harm a terminal or a log written as escapes. */
export function jsonText(value: unknown): string {
  return rewriteUnsafe(JSON.stringify(value, null, 2), (character) =>
    character === "\n" ? character : escaped(character),
  );
}
