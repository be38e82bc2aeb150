import type { PackRule } from "../../../artifact/pack-rules.js";
import { changedConstants } from "./constants-read.js";
import { subjectsOf } from "./rule-content.js";
import type { Reading } from "./strength.js";

/** A rule before and after; null if there is none. */
export interface RulePair {
  readonly before: PackRule | null;
  readonly after: PackRule | null;
}

/** On the first level, only the place of a rule differs. */
const LEVELS = [0, 1, 2, 3];

/**
 * The changed rules of one tool, matched by similarity; a rule without a match was removed or added. Rules with the same words are left
 * out, unless a constant that they read has changed.
 */
export function rulePairs(
  before: readonly PackRule[],
  after: readonly PackRule[],
  packs: Pick<Reading, "before" | "after">,
): readonly RulePair[] {
  const pairs: RulePair[] = [];
  const old = new Set(before);
  const current = new Set(after);
  for (const level of LEVELS) {
    for (const rule of old) {
      const text = subjectsOf(rule)[level];
      const match = [...current].find((other) => subjectsOf(other)[level] === text);
      if (match === undefined) continue;
      old.delete(rule);
      current.delete(match);
      if (level > 0 || changedConstants(rule.body, packs).length > 0) pairs.push({ before: rule, after: match });
    }
  }
  const removed = [...old].map((rule) => ({ before: rule, after: null }));
  return [...pairs, ...removed, ...[...current].map((rule) => ({ before: null, after: rule }))];
}

/** The rules that are new or changed. */
export function newIn(pairs: readonly RulePair[]): readonly PackRule[] {
  return pairs.flatMap(({ after }) => (after === null ? [] : [after]));
}
