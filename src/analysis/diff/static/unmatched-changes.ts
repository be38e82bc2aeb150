import type { CompiledPack } from "../../../artifact/compiled.js";
import { type PackRule, rulesOfCheck } from "../../../artifact/pack-rules.js";
import type { Change, Direction } from "../../difference.js";
import { directionOf, type FoundChange } from "../search/found-change.js";
import { newIn, type RulePair, rulePairs } from "./match-rules.js";
import type { Reading } from "./strength.js";

const UNMATCHED = "checks of tools without a contract";

/** The rules for tools without a contract, which a guard can be configured to allow. */
function unmatchedRules(pack: CompiledPack): readonly PackRule[] {
  return pack.unmatched_checks
    .flatMap((check) => rulesOfCheck(check, pack))
    .map(({ at, body }, index) => ({ id: `unmatched#${index + 1}`, at, tools: [], body }));
}

/** Changes of these rules; mostly they also apply to other tools, where they are reported in detail. */
export function unmatchedChanges(
  reading: Reading,
  isNews: (pair: RulePair, direction: Direction) => boolean,
  wording: (rule: PackRule) => string,
): readonly FoundChange[] {
  const pairs = rulePairs(unmatchedRules(reading.before), unmatchedRules(reading.after), reading);
  return pairs.flatMap((pair): FoundChange[] => {
    const direction = directionOf(pair, newIn(pairs), reading);
    if (!isNews(pair, direction)) return [];
    const { before, after } = pair;
    const change: Change = {
      kind: "changed",
      what: "setting",
      name: UNMATCHED,
      tools: [],
      before: before === null ? "none" : wording(before),
      after: after === null ? "none" : wording(after),
      oldRule: null,
      newRule: null,
      direction,
      at: (after ?? before)?.at ?? null,
    };
    return [{ change, judges: false, hasEffect: false }];
  });
}
