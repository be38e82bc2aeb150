/** A part of the text of an expression; white space and comments are none. */
export interface Token {
  readonly kind: "word" | "number" | "text" | "sign";
  readonly text: string;
  readonly start: number;
}

const PART =
  /(?<skipped>\s+|\/\/[^\n]*)|(?<quoted>[rRbB]?(?:""".*?"""|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?<word>[A-Za-z_][A-Za-z0-9_]*)|(?<number>[0-9][A-Za-z0-9_.]*)|(?<sign>&&|\|\||[=!<>]=|.)/gsy;

/** The parts of a text, also of one that is no expression: for advice about what is wrong with it. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { index: start, groups = {} } of text.matchAll(PART)) {
    const { quoted, word, number, sign } = groups;
    if (quoted !== undefined) tokens.push({ kind: "text", text: quoted, start });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, start });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, start });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, start });
  }
  return tokens;
}

/** The places of the comments of a text. */
export function commentsOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(PART)).flatMap(({ 0: part, index: start, groups = {} }) =>
    groups.skipped?.startsWith("//") ? [{ start, end: start + part.length }] : [],
  );
}

/** The end of a token, exclusive. */
export function endOf({ start, text }: Token): number {
  return start + text.length;
}
