import type { CompiledPattern } from "../../artifact/compiled-value.js";
import { membersOf } from "../../artifact/members.js";
import { CostExceeded, spend, withinShare } from "../../base/cost.js";
import { isLinearNative } from "../../base/linear-native.js";
import { show } from "../../base/wording.js";
import { nativeCost } from "./pattern/native-cost.js";
import { parsePattern, preparePropertyTables, programOf } from "./pattern/program.js";
import { ProgramRun } from "./pattern/run-program.js";

/** Whether a text matches; throws if that takes more work than is allowed. */
export type Matcher = (text: string) => boolean;

/** Texts for the native engine, which pay an upper bound instead of their actual cost: short ones, */
const SHORT = 256;
/** and others on which it cannot run out of stack, if the bound is about as low as the actual cost. */
const MOST_NATIVE = 100_000;
const LOW_BOUND = 12;
/** What every match costs, whatever the text. */
const ENTRY = 16;

const matchers = new WeakMap<CompiledPattern, Matcher>();

/** Only patterns too large to be counted get here with texts on which V8 may run out of stack. */
function testNatively(native: RegExp, text: string): boolean {
  try {
    return native.test(text);
  } catch (cause) {
    if (cause instanceof RangeError) throw new CostExceeded("the native engine gave up");
    throw cause;
  }
}

function nativeMatcher(source: string): Matcher {
  const native = new RegExp(source, "u");
  const parsed = parsePattern(source);
  // An artifact may come from anywhere, so the compiler's proof is repeated.
  if (!isLinearNative(parsed)) throw new TypeError("it is not linear on the native engine");
  const perCharacter = nativeCost(parsed);
  const longest = perCharacter <= LOW_BOUND ? MOST_NATIVE : SHORT;
  // Made for the first longer text; null if the program would be too large.
  let run: ProgramRun | null | undefined;
  const testLong: Matcher = (text) => {
    if (text.length > longest && run === undefined) {
      const program = programOf(parsed);
      run = program === null ? null : new ProgramRun(program);
    }
    if (text.length > longest && run) return run.test(text);
    spend(ENTRY + perCharacter * text.length);
    return testNatively(native, text);
  };
  return (text) => {
    if (text.length > SHORT) return testLong(text);
    spend(ENTRY + perCharacter * text.length);
    return native.test(text);
  };
}

function countedMatcher(source: string): Matcher {
  const program = programOf(parsePattern(source));
  if (program === null) throw new TypeError("it is too large");
  const run = new ProgramRun(program);
  return (text) => {
    spend(ENTRY);
    return run.test(text);
  };
}

/** The matcher of a pattern, made once; a pattern that the compiler does not accept is rejected. */
export function matcherOf(pattern: CompiledPattern): Matcher {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const matcher = makeMatcher(pattern);
  matchers.set(pattern, matcher);
  return matcher;
}

/** One of the patterns of the artifact is none that the compiler accepts. */
export class PatternRefused extends TypeError {}

function makeMatcher({ engine, source }: CompiledPattern): Matcher {
  try {
    return engine === "native" ? nativeMatcher(source) : countedMatcher(source);
  } catch (cause) {
    const why = cause instanceof TypeError ? cause.message : "it cannot be read";
    throw new PatternRefused(`the artifact has a pattern that the compiler does not accept, ${show(source)}: ${why}`);
  }
}

function isPattern(part: object): part is CompiledPattern {
  if (!("engine" in part && "source" in part)) return false;
  return typeof part.source === "string" && (part.engine === "native" || part.engine === "counted");
}

/**
 * Makes the matchers of all patterns in a part of an artifact, and their tables of unicode properties, so that no decision has
 * to.
 */
export function prepareMatchers(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  if (isPattern(part)) {
    matcherOf(part);
    if (/\\p/i.test(part.source)) preparePropertyTables(parsePattern(part.source));
    return;
  }
  for (const item of membersOf(part)) prepareMatchers(item);
}

/** Whether a text matches a pattern; throws if that takes more work than is allowed. */
export function matchPattern(pattern: CompiledPattern, text: string): boolean {
  return matcherOf(pattern)(text);
}

/** Whether a text matches a pattern, within the rest of the present budget; null if that is too little. */
export function matchWithinShare(pattern: CompiledPattern, text: string): boolean | null {
  return withinShare<boolean | null>(
    () => matchPattern(pattern, text),
    () => null,
  );
}
