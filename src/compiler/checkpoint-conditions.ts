import type { Draft } from "../language/draft.js";
import type { Checkpoint, Condition, ExpressionCondition } from "../language/schema/shared.js";

/** One entry of `when`. */
export type CheckpointCondition = Exclude<Checkpoint["when"], "always">[number];

/** Whether an entry of `when` is an expression; all others test a path. */
export function isExpressionCondition(entry: Condition | ExpressionCondition): entry is ExpressionCondition;
export function isExpressionCondition(
  entry: Draft<Condition> | Draft<ExpressionCondition>,
): entry is Draft<ExpressionCondition>;
export function isExpressionCondition(entry: object): boolean {
  return "that" in entry;
}
