import { findUnsupported } from "./find-unsupported.js";
import { isLinearNative } from "./linear-native.js";
import { readPattern } from "./read-pattern.js";
import type { RegexProblem } from "./regex-problem.js";
import { toRe2 } from "./to-re2.js";

export type { RegexProblem } from "./regex-problem.js";

/**
 * A pattern with the engine that matches it in linear time: `new RegExp(source, "u")` or `RE2JS.compile(re2)`, either
 * asked by `test(text)`. On texts far above 100,000 characters V8 may run out of stack and throw a RangeError.
 */
export type LinearPattern =
  | { readonly engine: "native"; readonly source: string }
  | { readonly engine: "re2"; readonly source: string; readonly re2: string };

/** What became of a pattern in a contract. */
export type RegexResult =
  | { readonly ok: true; readonly pattern: LinearPattern }
  | { readonly ok: false; readonly problem: RegexProblem };

/** Accepts ECMAScript patterns of `u` mode but lookaround and backreferences, and settles how the guard runs them. */
export function parseRegex(source: string): RegexResult {
  const parsed = readPattern(source);
  if (!parsed.ok) return parsed;
  const problem = findUnsupported(parsed.pattern);
  if (problem !== undefined) return { ok: false, problem };
  if (isLinearNative(parsed.pattern) && runsNatively(source))
    return { ok: true, pattern: { engine: "native", source } };
  const translated = toRe2(parsed.pattern);
  if (!translated.ok) return translated;
  return { ok: true, pattern: { engine: "re2", source, re2: translated.re2 } };
}

/** V8 compiles at the first match, once for one-byte and once for two-byte texts, and may then find a pattern too big. */
function runsNatively(source: string): boolean {
  try {
    const pattern = new RegExp(source, "u");
    for (const text of ["", "\u20ac"]) pattern.test(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return false;
    throw cause;
  }
}
