import type { JsonObject } from "../../../src/base/json.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import type { Calls, Event } from "./history.js";
import type { Options, Pack, Reason } from "./model.js";
import type { World } from "./worlds.js";

/** How a check ends in one world. */
export type Result = Reason | "pass" | "unknown";

/** One check of one call. */
export interface Check {
  /** The reasons it fails with; the first that occurs in any world names the verdict. */
  readonly reasons: readonly Reason[];
  /** Whether failing hides the tool: so it is for checks that do not look at the arguments. */
  readonly hides: boolean;
  /** Whether every world gives the same, so that one is enough. */
  readonly isPlain?: true;
  /** Whether a failure where nothing open has happened names the verdict, before any other. */
  readonly presentFirst?: true;
  /** The policy's own words for the rule, where it has any. */
  readonly because?: string | undefined;
  /** The worlds to look at, where it is not all of the situation's. */
  readonly worlds?: readonly World[];
  judge(world: World): Result;
}

/** Everything a decision may look at. */
export interface Situation {
  readonly pack: Pack;
  readonly options: Options;
  readonly events: readonly Event[];
  readonly calls: Calls;
  readonly worlds: readonly World[];
  readonly tool: string;
  /** Null for a tool without a contract, which only session-wide checks concern. */
  readonly contract: ToolContract | null;
  readonly args: JsonObject;
}

/** A check that is the same in every world. */
export function plainCheck(reason: Reason, hides: boolean, holds: () => boolean, because?: string): Check {
  return { reasons: [reason], hides, isPlain: true, because, judge: () => (holds() ? "pass" : reason) };
}

/** The words of a rule that may have some. */
export function wordsOf(rule: object | undefined): string | undefined {
  return rule !== undefined && "reason" in rule && typeof rule.reason === "string" ? rule.reason : undefined;
}

/** Fails if one part fails, with the first of the reasons; else unknown if one is; else passes. */
export function all(reasons: readonly Reason[], results: readonly Result[]): Result {
  const failed = reasons.find((reason) => results.includes(reason));
  if (failed !== undefined) return failed;
  return results.includes("unknown") ? "unknown" : "pass";
}

/**
 * Decision 0007, "Worlds": the first of the check's own reasons that occurs in any world, `pending_conflict` only where
 * it never fails outright but is unknown in some world, and null where it passes in every world.
 */
export function reasonOf(check: Check, { worlds }: Situation): Reason | null {
  const own = check.worlds ?? worlds;
  const results = (check.isPlain ? own.slice(0, 1) : own).map((world) => check.judge(world));
  const present = check.presentFirst ? check.reasons.find((reason) => reason === results[0]) : undefined;
  if (present !== undefined) return present;
  const result = all(check.reasons, results);
  if (result === "pass") return null;
  return result === "unknown" ? "pending_conflict" : result;
}
