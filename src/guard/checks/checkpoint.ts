import type { CheckOf } from "../../artifact/compiled.js";
import { sharingBudget, withinShare } from "../../base/cost.js";
import { type Because, becauseIn } from "../decide/verdict.js";
import { preparedOf } from "../expression/of-pack.js";
import { beforeCall } from "../expression/surroundings.js";
import { isFalseInWorlds } from "../expression/worlds/judge-worlds.js";
import type { Program, Proposal } from "../program/program.js";
import type { Session } from "../session/session.js";
import { judgeClosing } from "../values/judge-value.js";

/** What a checkpoint is judged by. */
export interface Judging {
  readonly program: Program;
  readonly session: Session;
}

type Condition = NonNullable<CheckOf<"checkpoint">["when"]>[number];

/** Whether a condition holds, or may hold: in some world, or because it cannot be judged. */
function isMet(condition: Condition, proposal: Proposal, { program, session }: Judging): boolean {
  if (!("that" in condition)) return judgeClosing(condition, proposal.args, program.env) !== false;
  const prepared = preparedOf(condition.that, program.pack);
  return !isFalseInWorlds(prepared, session, beforeCall(prepared, proposal, session, program));
}

/** Whether a checkpoint asks for an approval: one value that meets a condition is enough, and so is one that cannot be judged. */
export function isTriggered(check: CheckOf<"checkpoint">, proposal: Proposal, judging: Judging): boolean {
  if (check.when === null) return true;
  const isConditionMet = (condition: Condition) => isMet(condition, proposal, judging);
  return check.match === "any" ? check.when.some(isConditionMet) : check.when.every(isConditionMet);
}

/** The checkpoints that a pending call was stopped by, within one budget; those that exceed it are included. */
export function triggeredOf(proposal: Proposal, judging: Judging): readonly CheckOf<"checkpoint">[] {
  return sharingBudget(() =>
    proposal.tool.checkpoints.filter((check) =>
      withinShare(
        () => isTriggered(check, proposal, judging),
        () => true,
      ),
    ),
  );
}

/** The reason of the first checkpoint that has one; the tool's own comes first. */
export function reasonOf(checkpoints: readonly CheckOf<"checkpoint">[]): Because {
  return becauseIn(checkpoints.find(({ because }) => because !== undefined) ?? {});
}
