import type { CompiledAggregate } from "../../artifact/compiled.js";
import { sumNumber } from "../../base/exact-sum.js";
import type { Json } from "../../base/json.js";
import { present } from "../decide/worlds.js";
import type { Program } from "../program/program.js";
import type { AggregateValue, SessionState } from "../public.js";
import { valueWithOpen } from "./aggregate.js";
import { UNKNOWN } from "./call.js";
import type { AggregateState, Session } from "./session.js";

function numberIn(aggregate: CompiledAggregate, state: AggregateState): number | null {
  const value = valueWithOpen(aggregate, state);
  return value === null ? null : sumNumber(value);
}

/** By their keys: in which order values came is not kept, as those of unsettled calls come and go. */
function shown(aggregate: CompiledAggregate, state: AggregateState): AggregateValue {
  if (state.parts === null) return numberIn(aggregate, state);
  const parts = [...state.parts.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return Object.fromEntries(parts.map(({ key, state: own }) => [key, numberIn(aggregate, own)]));
}

/** A copy of the state of a session, for people and programs; unsettled calls count as if they had happened. */
export function stateOf(program: Program, session: Session): SessionState {
  const aggregates = program.aggregates.map((aggregate, index) => {
    const state = session.aggregates[index];
    return [aggregate.name, state === undefined ? null : shown(aggregate, state)] as const;
  });
  const bound = [...session.slots].flatMap(([slot, writes]): [string, Json][] => {
    const value = present(writes);
    return value === undefined || value === UNKNOWN ? [] : [[slot, structuredClone(value)]];
  });
  const collected = Array.from(session.collections, ([name, slot]): [string, Json] => [name, slot.present.shown()]);
  return {
    phase: session.phase,
    steps: session.openSteps + session.ownSteps,
    toolCalls: session.toolCalls,
    bindings: Object.fromEntries([...bound, ...collected]),
    aggregates: Object.fromEntries(aggregates),
    labels: [...session.labels],
    killed: session.isKilled,
    unsettled: Array.from(session.unsettled, ({ id, tool, status }) => ({ callId: id, tool: tool.name, status })),
    cost: sumNumber(session.cost),
  };
}
