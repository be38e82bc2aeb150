/**
 * Text of others as one line of output: control and format characters (terminal escapes, line breaks, bidirectional
 * controls) and lone surrogates are blanked out, so that they move no cursor and forge no line. As long as before.
 */
export function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => " ".repeat(character.length));
}

/** A line for a log: a build server takes one that starts with `::`, or holds `##[`, for a command. */
export function cleanLine(text: string): string {
  return clean(text)
    .replace(/^( *):(?=:)/, "$1: ")
    .replaceAll("##[", "## [");
}
