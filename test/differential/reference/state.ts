import type { Json } from "../../../src/base/json.js";
import type { Aggregate } from "../../../src/language/schema/session.js";
import type { Slot } from "../../reference/expression/slots.js";
import { perOf } from "./additions.js";
import { sum, toNumber } from "./decimal.js";
import { type Call, costsOf, type Event, isCounted, isKilled, labelsOf, readCalls } from "./history.js";
import { stepsIn } from "./limit-checks.js";
import type { Pack, State } from "./model.js";
import { readSlotIn, slotNames } from "./slots.js";
import { aggregateValue, concerns, valueOfPer } from "./value-checks.js";
import { endedOf, phaseIn, type World } from "./worlds.js";

/** Every call that was allowed and is not settled, in the order of the verdicts. */
export function unsettledIn(pack: Pack, events: readonly Event[]): State["unsettled"] {
  const { all } = readCalls(pack, events);
  return all.flatMap(({ callId, tool, open }) => (open === null ? [] : [{ callId, tool, status: open }]));
}

/** Steps so far, whatever becomes of the calls that are open. */
export function stepsSoFar(pack: Pack, events: readonly Event[]): number {
  const counted = readCalls(pack, events).all.filter(isCounted);
  return stepsIn(events, { counted });
}

/** What a slot shows: a keyed one as a list of keys and values, a union as its values; what is awaited is not there. */
function shownOf(slot: Slot): Json | undefined {
  if (slot.kind === "union") return slot.values;
  if (slot.kind === "plain") return slot.held.kind === "set" ? slot.held.value : undefined;
  return slot.entries.flatMap(({ keys, held }) => {
    const [first = ""] = keys;
    return held.kind === "set" ? [{ key: keys.length === 1 ? first : keys, value: held.value }] : [];
  });
}

function numberOf(aggregate: Aggregate, counted: readonly Call[]): number | null {
  const value = aggregateValue(aggregate, counted);
  return value === null ? null : toNumber(value);
}

/** One number, or one for each value that the aggregate is computed per. */
function aggregateOf(
  aggregate: Aggregate,
  counted: readonly Call[],
): number | null | Readonly<Record<string, number | null>> {
  const per = perOf(aggregate);
  if (per === null) return numberOf(aggregate, counted);
  const concerned = counted.filter(({ tool }) => concerns(aggregate, tool));
  const values = new Set(concerned.flatMap((call) => valueOfPer(per, call) ?? []));
  return Object.fromEntries(
    [...values].map((value) => [
      value,
      numberOf(
        aggregate,
        concerned.filter((call) => valueOfPer(per, call) === value),
      ),
    ]),
  );
}

/** What is committed, and what is counted. */
export function stateOf(pack: Pack, events: readonly Event[]): State {
  const calls = readCalls(pack, events);
  const counted = calls.all.filter(isCounted);
  const committed: World = { commits: calls.commits, counted, ended: endedOf(calls) };
  const bindings = slotNames(pack).flatMap((slot): [string, Json][] => {
    const value = shownOf(readSlotIn(pack, committed, slot));
    return value === undefined ? [] : [[slot, value]];
  });
  const aggregates = (pack.session?.aggregates ?? []).map((aggregate) => {
    return [aggregate.name, aggregateOf(aggregate, counted)] as const;
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
