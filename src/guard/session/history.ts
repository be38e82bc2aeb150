import { closeCounted, openBudget, sharingBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { judgeOutput } from "../checks/precondition.js";
import type { Program } from "../program/program.js";
import type { Call, PriorCall } from "./call.js";
import { entityOf } from "./entity.js";
import type { Session } from "./session.js";

/** The entries of a call that no precondition reads; shared, as most calls have none. */
export const NO_PRIORS: readonly PriorCall[] = Object.freeze([]);

/**
 * Keeps only the calls that a precondition can still ask for: a later call of the same or an earlier step replaces this one, and
 * of the steps before the open one only the latest call matters.
 */
function addPrior(priors: PriorCall[], prior: PriorCall, openStep: number): void {
  while (priors.length > 0 && (priors[priors.length - 1]?.step ?? -1) >= prior.step) priors.pop();
  priors.push(prior);
  if (priors.length === 1) return;
  const latest = priors.findLastIndex(({ step }) => step < openStep);
  if (latest > 0) priors.splice(0, latest);
}

/** Adds a committed call to the history that preconditions read; an output that has not arrived is `undefined`. */
export function enterHistory(
  program: Program,
  session: Session,
  { tool, args, step }: Call,
  output: Json | undefined,
): readonly PriorCall[] {
  if (tool.watches.length === 0) return NO_PRIORS;
  const entered: PriorCall[] = [];
  // No closure, because every call comes here.
  const outer = openBudget();
  try {
    for (const watch of tool.watches) {
      const entity = entityOf(watch, args);
      const byEntity = session.priors[watch.index];
      if (entity === null || byEntity === undefined) continue;
      const { satisfies, miss } = judgeOutput(watch, output, program.env);
      const prior = { step, satisfies, miss };
      const priors = byEntity.get(entity);
      if (priors === undefined) byEntity.set(entity, [prior]);
      else addPrior(priors, prior, session.openSteps);
      entered.push(prior);
    }
  } finally {
    closeCounted(outer);
  }
  return entered;
}

/** Judges the output of a call that entered the history before its output arrived. */
export function judgeArrived(program: Program, { tool, args, priors }: Call, output: Json): void {
  const watches = tool.watches.filter((watch) => entityOf(watch, args) !== null);
  sharingBudget(() =>
    priors.forEach((prior, at) => {
      const watch = watches[at];
      if (watch === undefined) return;
      const { satisfies, miss } = judgeOutput(watch, output, program.env);
      prior.satisfies = satisfies;
      prior.miss = miss;
    }),
  );
}
