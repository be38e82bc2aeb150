/** One part of a pattern of model requests; all parts must match. */
export type PatternTerm =
  /** The value at a dotted path of the request's body equals the word. */
  | { readonly kind: "value"; readonly text: string; readonly path: readonly string[]; readonly word: string }
  /** A field of the body that is in use, or the name of a model. */
  | { readonly kind: "bare"; readonly text: string };

/** The terms of a pattern, or what is wrong with it; `message` includes the character's number. */
export type ProviderPattern =
  | { readonly ok: true; readonly terms: readonly PatternTerm[] }
  | { readonly ok: false; readonly message: string };

class PatternError extends Error {}

/** People count from one. */
function fail(what: string, offset: number): never {
  throw new PatternError(`${what} at character ${offset + 1}`);
}

function readPath(text: string, offset: number): readonly string[] {
  const names = text.split(".");
  let at = offset;
  for (const name of names) {
    if (name === "") fail(text === "" ? "the parameter before `=` is missing" : "an empty name in a path", at);
    at += name.length + 1;
  }
  return names;
}

/** Reads one term; `offset` is where it begins in the pattern. */
function readTerm(text: string, offset: number): PatternTerm {
  const space = text.search(/\s/u);
  if (space !== -1) fail("a space inside a term", offset + space);
  const equals = text.indexOf("=");
  if (equals === -1) return { kind: "bare", text };
  const word = text.slice(equals + 1);
  if (word === "") fail("the value after `=` is missing", offset + text.length);
  const second = word.indexOf("=");
  if (second !== -1) fail("a second `=`", offset + equals + 1 + second);
  return { kind: "value", text, path: readPath(text.slice(0, equals), offset), word };
}

function readTerms(pattern: string): readonly PatternTerm[] {
  const terms: PatternTerm[] = [];
  let at = 0;
  for (const part of pattern.split("+")) {
    const text = part.trim();
    const offset = at + part.length - part.trimStart().length;
    if (text === "") fail("a term is missing", offset);
    terms.push(readTerm(text, offset));
    at += part.length + 1;
  }
  return terms;
}

/** Reads a pattern such as `tool_choice.type=any + thinking`: terms joined by `+`. */
export function parseProviderPattern(pattern: string): ProviderPattern {
  try {
    return { ok: true, terms: readTerms(pattern) };
  } catch (cause) {
    if (cause instanceof PatternError) return { ok: false, message: cause.message };
    throw cause;
  }
}
