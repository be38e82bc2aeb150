import { sumNumber } from "../../base/exact-sum.js";
import type { Json } from "../../base/json.js";
import { present } from "../decide/worlds.js";
import type { Program } from "../program/program.js";
import type { SessionState } from "../public.js";
import { valueWithOpen } from "./aggregate.js";
import { UNKNOWN } from "./call.js";
import type { Session } from "./session.js";

/** A copy of the state of a session, for people and programs; unsettled calls count as if they had happened. */
export function stateOf(program: Program, session: Session): SessionState {
  const aggregates = program.aggregates.map((aggregate, index): readonly [string, number | null] => {
    const state = session.aggregates[index];
    const value = state === undefined ? null : valueWithOpen(aggregate, state);
    return [aggregate.name, value === null ? null : sumNumber(value)];
  });
  const bound = [...session.slots].flatMap(([slot, writes]): [string, Json][] => {
    const value = present(writes);
    return value === undefined || value === UNKNOWN ? [] : [[slot, structuredClone(value)]];
  });
  const collected = Array.from(session.collections, ([slot, content]): [string, Json] => [slot, content.shown()]);
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
