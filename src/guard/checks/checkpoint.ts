import type { CheckOf } from "../../artifact/compiled.js";
import { sharingBudget, withinShare } from "../../base/cost.js";
import { type Because, becauseIn } from "../decide/verdict.js";
import type { Proposal } from "../program/program.js";
import { type Environment, judgeClosing } from "../values/judge-value.js";

/** Whether a checkpoint asks for an approval: one value that meets a condition is enough, and so is one that cannot be judged. */
export function isTriggered(check: CheckOf<"checkpoint">, { args }: Proposal, env: Environment): boolean {
  if (check.when === null) return true;
  const isMet = (condition: (typeof check.when)[number]) => judgeClosing(condition, args, env) !== false;
  return check.match === "any" ? check.when.some(isMet) : check.when.every(isMet);
}

/** The checkpoints that a pending call was stopped by, within one budget; those that exceed it are included. */
export function triggeredOf(proposal: Proposal, env: Environment): readonly CheckOf<"checkpoint">[] {
  return sharingBudget(() =>
    proposal.tool.checkpoints.filter((check) =>
      withinShare(
        () => isTriggered(check, proposal, env),
        () => true,
      ),
    ),
  );
}

/** The reason of the first checkpoint that has one; the tool's own comes first. */
export function reasonOf(checkpoints: readonly CheckOf<"checkpoint">[]): Because {
  return becauseIn(checkpoints.find(({ because }) => because !== undefined) ?? {});
}
