import type { CheckOf, CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../../artifact/pack-rules.js";
import type { Change, Direction } from "../../difference.js";
import { isKeptBesideOthers } from "../static/checkpoint-strength.js";
import type { RulePair } from "../static/match-rules.js";
import { isCovered, ofRule } from "../static/rule-strength.js";
import type { Reading, Strength } from "../static/strength.js";
import { isKeptByResults } from "../static/withheld-results.js";

/** What reading a pack takes. */
export interface ReadablePack {
  readonly pack: CompiledPack;
  readonly rules: PackRules;
  readonly tool: (name: string) => CompiledTool | undefined;
}

/** A change, with what it may do to verdicts. */
export interface FoundChange {
  readonly change: Change;
  /** Whether calls of the tools it concerns can be judged otherwise because of it. */
  readonly judges: boolean;
  /** Whether calls of these tools do something else to a session than they did. */
  readonly hasEffect: boolean;
}

/** What a strength means for who asks whether a rule is as strong as it was. */
export const DIRECTIONS: Readonly<Record<Strength, Direction>> = {
  same: "same",
  looser: "weaker",
  tighter: "stronger",
  unclear: "unknown",
};

/**
 * What became of a rule of a tool. A rule that is gone, or weaker, may have been written otherwise: as several, or under
 * another heading. So the new rules are asked; not those that stood beside it before, which were there as well as it was.
 */
export function directionOf(pair: RulePair, rules: readonly PackRule[], reading: Reading): Direction {
  const direction = directionAlone(pair, rules, reading);
  if (direction === "weaker" || direction === "unknown") return direction;
  if (direction === "stronger" && !isKeptByResults(pair, reading)) return "unknown";
  const [before, after] = [checkpointIn(pair.before), checkpointIn(pair.after)];
  return isKeptBesideOthers(before, after, reading) ? direction : "unknown";
}

function checkpointIn(rule: PackRule | null): CheckOf<"checkpoint"> | null {
  return rule?.body.kind === "checkpoint" ? rule.body : null;
}

/** The same, but for what a checkpoint does to others that ask about the same call. */
function directionAlone({ before, after }: RulePair, rules: readonly PackRule[], reading: Reading): Direction {
  if (before === null) return "stronger";
  const strength = after === null ? "looser" : ofRule(before.body, after.body, reading);
  if (strength === "same" || strength === "tighter") return DIRECTIONS[strength];
  if (!isCovered(before, rules, reading)) return DIRECTIONS[strength];
  return after === null ? "same" : "stronger";
}
