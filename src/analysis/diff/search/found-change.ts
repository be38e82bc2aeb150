import type { CheckOf, CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../../artifact/pack-rules.js";
import type { Change, Direction } from "../../difference.js";
import { isKeptBesideOthers } from "../static/checkpoint-strength.js";
import type { RulePair } from "../static/match-rules.js";
import { isEndKept } from "../static/room-made.js";
import { isCovered, ofRule } from "../static/rule-strength.js";
import type { Reading, Strength } from "../static/strength.js";
import { isKeptByResults } from "../static/withheld-results.js";

/** A pack for comparison by reading. */
export interface ReadablePack {
  readonly pack: CompiledPack;
  readonly rules: PackRules;
  readonly tool: (name: string) => CompiledTool | undefined;
  /** Whether other sessions wait for what a session of it gives up when it ends. */
  readonly isAwaited: boolean;
  /** The resources that its workflow shares; null without one. */
  readonly shared: ReadonlySet<string> | null;
}

/** A change and its possible effects on verdicts. */
export interface FoundChange {
  readonly change: Change;
  /** Whether it can change verdicts on calls of its tools. */
  readonly judges: boolean;
  /** Whether it changes the effects of these calls on a session. */
  readonly hasEffect: boolean;
}

/** The direction of a change for each strength. */
export const DIRECTIONS: Readonly<Record<Strength, Direction>> = {
  same: "same",
  looser: "weaker",
  tighter: "stronger",
  unclear: "unknown",
};

/**
 * How a rule of a tool changed. A removed or weaker rule may have been rewritten: as several rules, or of another kind. So
 * the new rules are compared too, but not those that already existed beside it.
 */
export function directionOf(pair: RulePair, rules: readonly PackRule[], reading: Reading): Direction {
  const direction = directionAlone(pair, rules, reading);
  if (direction === "weaker" || direction === "unknown") return direction;
  if (direction === "stronger" && !(isKeptByResults(pair, reading) && isEndKept(pair, reading))) return "unknown";
  const [before, after] = [checkpointIn(pair.before), checkpointIn(pair.after)];
  return isKeptBesideOthers(before, after, reading) ? direction : "unknown";
}

function checkpointIn(rule: PackRule | null): CheckOf<"checkpoint"> | null {
  return rule?.body.kind === "checkpoint" ? rule.body : null;
}

/** The same without the effect of a checkpoint on other checkpoints of the same call. */
function directionAlone({ before, after }: RulePair, rules: readonly PackRule[], reading: Reading): Direction {
  if (before === null) return "stronger";
  const strength = after === null ? "looser" : ofRule(before.body, after.body, reading);
  if (strength === "same" || strength === "tighter") return DIRECTIONS[strength];
  if (!isCovered(before, rules, reading)) return DIRECTIONS[strength];
  return after === null ? "same" : "stronger";
}
