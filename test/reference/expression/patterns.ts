/** Lookaround, backreferences and groups with flags: no pattern of the language has them. */
const OUTSIDE = /\(\?(?:[=!]|<[=!]|[a-z-]+:)|\\(?:[1-9]|k<)/;

/** A pattern of the language: syntax of JavaScript in Unicode mode, unanchored. Null for any other text. */
export function parsePattern(source: string): RegExp | null {
  if (OUTSIDE.test(source)) return null;
  try {
    return new RegExp(source, "u");
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}
