import type { CompiledAggregate } from "../../artifact/compiled.js";
import { addSums, compareSum, EMPTY_SUM, type ExactSum, sumNumber, sumOf } from "../../base/exact-sum.js";
import { type Block, block } from "../decide/verdict.js";
import type { ArgumentFields } from "../program/argument-fields.js";
import type { Check, Program, Run } from "../program/program.js";
import { contributionOf } from "../session/aggregate.js";
import type { AggregateState, Session } from "../session/session.js";
import { nameOf } from "../values/read-path.js";

import { conditionSlots, isTotal, type Judging, judgeWith } from "./aggregate-worlds.js";

/** The refusal of a call without a value that can be counted, at the path of the aggregate or another one. */
export function unjudgeable({ at, reason, path }: CompiledAggregate, where = path?.text ?? "$"): Block {
  return block("aggregate_unjudgeable", at, reason, `no usable value at ${where}`);
}

/** Refuses a call that could take an aggregate out of its bounds, however the open calls end. */
export function aggregate(
  compiled: CompiledAggregate,
  index: number,
  fields: ArgumentFields,
): Pick<Check, "run" | "blind" | "surely"> {
  const isPlain = isTotal(compiled) && compiled.when.length === 0;
  const run = isPlain ? total(compiled, index, fields) : ranged(compiled, index);
  if (compiled.metric === "count") return { run, blind: run, surely: run };
  // Another value may always bring a sum back.
  if (isPlain) return { run, blind: null, surely: null };
  const lasting = withLastingBounds(compiled);
  const slotNames = conditionSlots(compiled);
  const surely: Run = (_proposal, session, program) => {
    const state = session.aggregates[index];
    return state === undefined ? null : judgeWith(lasting, slotNames, { session, program, index, state, own: [] });
  };
  return { run, blind: null, surely };
}

/** The aggregate with those bounds alone that no further value brings it back into. */
function withLastingBounds(compiled: CompiledAggregate): CompiledAggregate {
  const { metric, gte, lte, when } = compiled;
  const [lower, upper] = [metric === "min", metric === "max" || metric === "count_distinct"];
  return {
    ...compiled,
    gte: lower ? gte : null,
    lte: upper ? lte : null,
    when: when.map((override) => ({
      ...override,
      then_gte: lower ? override.then_gte : null,
      then_lte: upper ? override.then_lte : null,
    })),
  };
}

/** Sums and counts without conditions, the most common aggregates, need only the totals of the session. */
function total(compiled: CompiledAggregate, index: number, fields: ArgumentFields): Run {
  const name = compiled.metric === "sum" && compiled.path !== null ? nameOf(compiled.path) : null;
  const slot = name === null ? -1 : fields.slotOf(name);
  return ({ args, values }, { aggregates }) => {
    const state = aggregates[index];
    if (state === undefined) return null;
    const value = slot === -1 ? undefined : values[slot];
    if (typeof value === "number") return judgeTotal(compiled, sumOf(value), state);
    const contribution = contributionOf(compiled, args);
    if (contribution === undefined) return unjudgeable(compiled);
    return judgeTotal(compiled, contribution?.total ?? EMPTY_SUM, state);
  };
}

function judgeTotal(
  { at, reason, name, gte, lte }: CompiledAggregate,
  own: ExactSum,
  state: AggregateState,
): Block | null {
  const sure = addSums(state.total, own);
  if (lte !== null) {
    const high = addSums(sure, state.raise);
    if (compareSum(high, lte) > 0)
      return block("aggregate_exceeded", at, reason, `\`${name}\` would be ${sumNumber(high)}, above ${lte}`);
  }
  if (gte !== null) {
    const low = addSums(sure, state.lower);
    if (compareSum(low, gte) < 0)
      return block("aggregate_exceeded", at, reason, `\`${name}\` would be ${sumNumber(low)}, below ${gte}`);
  }
  return null;
}

/** Every other aggregate: its range, in each world that the open calls may lead to. */
function ranged(compiled: CompiledAggregate, index: number): Run {
  const slotNames = conditionSlots(compiled);
  return ({ args }, session, program) => {
    const contribution = contributionOf(compiled, args);
    if (contribution === undefined) return unjudgeable(compiled);
    const state = session.aggregates[index];
    if (state === undefined) return null;
    const own = contribution === null ? [] : [contribution];
    return judgeWith(compiled, slotNames, { session, program, index, state, own });
  };
}

/** The refusal of what an aggregate of a session is now; null if that is within its bounds. */
export function judgeAggregate(program: Program, session: Session, index: number): Block | null {
  const [compiled, state] = [program.aggregates[index], session.aggregates[index]];
  if (compiled === undefined || state === undefined) return null;
  const slotNames = conditionSlots(compiled);
  const judge = (part: Pick<Judging, "state" | "key">) =>
    judgeWith(compiled, slotNames, { session, program, index, own: [], ...part });
  if (state.parts === null) return judge({ state });
  for (const part of state.parts.values()) {
    const refused = judge(part);
    if (refused !== null) return refused;
  }
  return null;
}
