import type { SlotKey } from "../../expression/slot-reader.js";
import type { Call } from "../call.js";
import type { Session } from "../session.js";
import { changesIfRejected, clearsAll, leftAt, type Mode } from "./open-changes.js";

/** An open call that happened, and how it ended. */
export interface Ended {
  readonly call: Call;
  readonly mode: Mode;
}

/** A place that a reader asked for: a plain slot, or one entry of a keyed slot or a union. */
export interface ReadPlace {
  readonly slot: string;
  readonly isPlain: boolean;
  readonly text: string;
  readonly keys: readonly SlotKey[];
}

/** Which call wrote a place last; null if none of them did. */
export interface PlaceChoice {
  readonly place: ReadPlace;
  readonly last: Ended | null;
}

/** Which calls changed a keyed slot or union, first to last, since the last one that cleared all of it. */
export interface SlotChoice {
  readonly slot: string;
  readonly steps: readonly Ended[];
}

/** Everything that is assumed in one world. */
export interface Assumptions {
  readonly places: readonly PlaceChoice[];
  readonly slots: readonly SlotChoice[];
}

/** Whether a call unbinds a plain slot, even if it binds it afterwards. */
export function unbinds({ tool }: Call, slot: string): boolean {
  return tool.unbinds.includes(slot) || tool.rebinds.includes(slot);
}

/** Whether a call that ended so has written a place. */
function isWritten({ open }: Session, { call, mode }: Ended, { slot, isPlain, text, keys }: ReadPlace): boolean {
  if (!isPlain) {
    const change = open?.collection(slot)?.of(call);
    return change !== undefined && leftAt(change, mode, text, keys) !== null;
  }
  if (unbinds(call, slot)) return true;
  return mode === "committed" && call.tool.binds.some((bind) => bind.slot === slot);
}

/** Whether a call that ended so has changed a keyed slot or union. */
export function isChanged({ open }: Session, { call, mode }: Ended, slot: string): boolean {
  const change = open?.collection(slot)?.of(call);
  return change !== undefined && (mode === "committed" || changesIfRejected(change));
}

/** The calls that happened; null if one of them would have ended in two ways. */
function endedCalls({ places, slots }: Assumptions): ReadonlyMap<Call, Ended> | null {
  const all = new Map<Call, Ended>();
  const ended = [...places.flatMap(({ last }) => last ?? []), ...slots.flatMap(({ steps }) => steps)];
  for (const each of ended) {
    const known = all.get(each.call);
    if (known !== undefined && known.mode !== each.mode) return null;
    all.set(each.call, each);
  }
  return all;
}

/** For each call, those that must have been committed before it; null if no order does. */
function predecessors(session: Session, { places, slots }: Assumptions, ended: ReadonlyMap<Call, Ended>) {
  const before = new Map<Call, Set<Call>>(Array.from(ended.keys(), (call) => [call, new Set()]));
  for (const { place, last } of places) {
    for (const each of ended.values()) {
      if (each.call === last?.call || !isWritten(session, each, place)) continue;
      if (last === null) return null;
      before.get(last.call)?.add(each.call);
    }
  }
  for (const { slot, steps } of slots) {
    const listed = new Set(steps.map(({ call }) => call));
    const first = steps[0] === undefined ? undefined : session.open?.collection(slot)?.of(steps[0].call);
    for (const each of ended.values()) {
      if (listed.has(each.call) || !isChanged(session, each, slot)) continue;
      if (first === undefined || !clearsAll(first)) return null;
      before.get(first.call)?.add(each.call);
    }
    steps.forEach(({ call }, at) => {
      for (const { call: earlier } of steps.slice(0, at)) before.get(call)?.add(earlier);
    });
  }
  return before;
}

/**
 * Whether some order of commits leads to what is assumed. A call that nothing names may have happened or not: it may have come
 * earlier, or its output may have been rejected, so that it binds nothing.
 */
export function isPossible(session: Session, assumptions: Assumptions): boolean {
  const ended = endedCalls(assumptions);
  const before = ended === null ? null : predecessors(session, assumptions, ended);
  if (before === null) return false;
  const left = new Set(before.keys());
  for (;;) {
    const first = [...left].find((call) => [...(before.get(call) ?? [])].every((earlier) => !left.has(earlier)));
    if (first === undefined) return left.size === 0;
    left.delete(first);
  }
}
