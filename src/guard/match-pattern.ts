import { RE2JS } from "re2js";
import type { CompiledPattern } from "../artifact/compiled-value.js";

const matchers = new WeakMap<CompiledPattern, (text: string) => boolean>();

function matcherOf(pattern: CompiledPattern): (text: string) => boolean {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const engine = pattern.engine === "native" ? new RegExp(pattern.source, "u") : RE2JS.compile(pattern.re2);
  const matcher = (text: string) => engine.test(text);
  matchers.set(pattern, matcher);
  return matcher;
}

/** Whether a text matches; null where the engine gave up on it, as V8 may on texts far above 100,000 characters. */
export function matchPattern(pattern: CompiledPattern, text: string): boolean | null {
  try {
    return matcherOf(pattern)(text);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}
