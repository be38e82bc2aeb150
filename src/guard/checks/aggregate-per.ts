import type { CompiledAggregate } from "../../artifact/compiled.js";
import { show } from "../../base/wording.js";
import { type Block, block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";
import { contributionOf } from "../session/aggregate.js";
import { MOST_VALUES, partKey, perValue } from "../session/aggregate-parts.js";
import { newAggregate } from "../session/session.js";
import { unjudgeable } from "./aggregate.js";
import { conditionSlots, judgeWith } from "./aggregate-worlds.js";

/** The state of a value that no call had before; nothing changes it. */
const UNUSED = newAggregate(false);

function full({ at }: CompiledAggregate, path: string): Block {
  return block("aggregate_full", at, `at most ${MOST_VALUES} values of ${path} in a session`, "a further one");
}

/** Refuses a call that could take the aggregate of its own value out of the bounds, however the open calls end. */
export function aggregatePer(compiled: CompiledAggregate, index: number): Run {
  const slotNames = conditionSlots(compiled);
  const path = compiled.per?.text ?? "$";
  return ({ args }, session, program) => {
    const parts = session.aggregates[index]?.parts;
    if (parts === undefined || parts === null) return null;
    const value = perValue(compiled, args);
    if (value === undefined) return unjudgeable(compiled, path);
    const contribution = contributionOf(compiled, args);
    if (contribution === undefined) return unjudgeable(compiled);
    const key = partKey(value);
    const part = parts.get(key);
    if (part === undefined && contribution !== null && parts.size >= MOST_VALUES) return full(compiled, path);
    const own = contribution === null ? [] : [contribution];
    const state = part?.state ?? UNUSED;
    const refused = judgeWith(compiled, slotNames, { session, program, index, state, own, key });
    return refused === null ? null : { ...refused, found: `${refused.found}, for ${show(value)}` };
  };
}
