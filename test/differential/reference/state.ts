import type { Json } from "../../../src/base/json.js";
import { sum, toNumber } from "./decimal.js";
import { costsOf, type Event, isCounted, isKilled, labelsOf, readCalls } from "./history.js";
import { stepsIn } from "./limit-checks.js";
import type { Pack, State } from "./model.js";
import { aggregateValue } from "./value-checks.js";
import { phaseIn, slotIn, type World } from "./worlds.js";

/** Every call that was allowed and is not settled, in the order of the verdicts. */
export function unsettledIn(pack: Pack, events: readonly Event[]): State["unsettled"] {
  const { all } = readCalls(pack, events);
  return all.flatMap(({ callId, tool, open }) => (open === null ? [] : [{ callId, tool, status: open }]));
}

/** Steps so far, whatever becomes of the calls that are open. */
export function stepsSoFar(pack: Pack, events: readonly Event[]): number {
  const counted = readCalls(pack, events).all.filter(isCounted);
  return stepsIn(events, { commits: [], counted });
}

/** What is committed, and what is counted. */
export function stateOf(pack: Pack, events: readonly Event[]): State {
  const calls = readCalls(pack, events);
  const counted = calls.all.filter(isCounted);
  const committed: World = { commits: calls.commits, counted };
  const slots = new Set(pack.tools.flatMap(({ binds = [] }) => binds.map(({ name }) => name)));
  const bindings = [...slots].flatMap((slot): [string, Json][] => {
    const held = slotIn(pack, committed, slot);
    return held.kind === "set" ? [[slot, held.value]] : [];
  });
  const aggregates = (pack.session?.aggregates ?? []).map((aggregate): [string, number | null] => {
    const value = aggregateValue(aggregate, counted);
    return [aggregate.name, value === null ? null : toNumber(value)];
  });
  return {
    phase: phaseIn(pack, committed),
    steps: stepsSoFar(pack, events),
    toolCalls: counted.length,
    bindings: new Map(bindings),
    aggregates: new Map(aggregates),
    labels: labelsOf(events),
    killed: isKilled(events),
    unsettled: unsettledIn(pack, events),
    cost: toNumber(sum(costsOf(events))),
  };
}
