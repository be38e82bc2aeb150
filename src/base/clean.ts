/** Soft hyphens and joiners are part of words in some scripts; all other format characters are not. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;

/**
 * Text of others as a part of a line: control and format characters (terminal escapes, line breaks, bidirectional
 * controls) and lone surrogates are replaced, so that they move no cursor and forge no line; and so is what a build
 * server takes for a command anywhere in a line. As long as before, so that what is underlined stays in its place.
 */
export function clean(text: string): string {
  return text
    .replaceAll("\t", " ")
    .replace(UNSAFE, (character) => "\ufffd".repeat(character.length))
    .replaceAll("##[", "# [");
}

/** Text of others at the start of a line, where a build server takes `::` for a command. */
export function cleanLine(text: string): string {
  return clean(text).replace(/^(\s*)::/, "$1: ");
}
