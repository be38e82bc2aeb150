import { RE2JS } from "re2js";
import type { CompiledPattern } from "../artifact/compiled-value.js";

/** Whether a text matches; null where the engine gave up on it, as V8 may on texts far above 100,000 characters. */
export type Matcher = (text: string) => boolean | null;

const matchers = new WeakMap<CompiledPattern, Matcher>();

function makeMatcher(pattern: CompiledPattern): Matcher {
  const engine = pattern.engine === "native" ? new RegExp(pattern.source, "u") : RE2JS.compile(pattern.re2);
  return (text) => {
    try {
      return engine.test(text);
    } catch (cause) {
      if (cause instanceof RangeError) return null;
      throw cause;
    }
  };
}

/** The matcher of a pattern, made once. */
export function matcherOf(pattern: CompiledPattern): Matcher {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const matcher = makeMatcher(pattern);
  matchers.set(pattern, matcher);
  return matcher;
}

/** Whether a text matches a pattern. */
export function matchPattern(pattern: CompiledPattern, text: string): boolean | null {
  return matcherOf(pattern)(text);
}
