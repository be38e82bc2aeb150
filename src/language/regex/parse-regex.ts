import { isLinearNative } from "../../base/linear-native.js";
import { findUnsupported } from "./find-unsupported.js";
import { measurePattern } from "./pattern-size.js";
import { readPattern } from "./read-pattern.js";
import type { RegexProblem } from "./regex-problem.js";

export type { RegexProblem } from "./regex-problem.js";

/** A pattern with the engine that matches it in linear time: V8's, or the guard's own, which counts its steps. */
export interface LinearPattern {
  readonly engine: "native" | "counted";
  readonly source: string;
}

/** The result of reading a pattern of a contract. */
export type RegexResult =
  | { readonly ok: true; readonly pattern: LinearPattern }
  | { readonly ok: false; readonly problem: RegexProblem };

/** Accepts ECMAScript patterns of `u` mode except lookaround and backreferences, and decides how the guard runs them. */
export function parseRegex(source: string): RegexResult {
  const parsed = readPattern(source);
  if (!parsed.ok) return parsed;
  const problem = findUnsupported(parsed.pattern);
  if (problem !== undefined) return { ok: false, problem };
  if (isLinearNative(parsed.pattern) && runsNatively(source))
    return { ok: true, pattern: { engine: "native", source } };
  const excess = measurePattern(parsed.pattern);
  if (excess !== undefined) return { ok: false, problem: excess };
  return { ok: true, pattern: { engine: "counted", source } };
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
