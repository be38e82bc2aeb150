import type { Json } from "../../base/json.js";
import type { ToolEffects } from "../program/tool-effects.js";
import { readValue } from "../values/read-value.js";
import { type Call, UNKNOWN } from "./call.js";
import type { Awaited, DeniedCall, Session, Write, Writes } from "./session.js";

/** Marks an output that will never come; no tool can return this very object. */
export const NO_OUTPUT: Json = Object.freeze({});

/** Adds a write; writes before that of a settled call are dropped. */
function added(before: Writes | null, last: Write): Writes {
  return { last, before: last.openCall === null ? null : before };
}

function valueAt(place: Awaited, from: Json): Json | undefined {
  return from === NO_OUTPUT ? undefined : readValue(place, from);
}

/** What a call writes to a place: the value at a path, or none if it unbinds the place. */
type From = (Awaited & { readonly source: "arguments" | "output" }) | null;

/** The write of a committed call; open until its output arrives (`undefined` before). */
function written(call: Call, from: From, output: Json | undefined): Write {
  const openCall = output === undefined ? call.id : null;
  if (from === null) return { value: undefined, openCall, awaited: null };
  const { source, path, decode } = from;
  if (source === "arguments") return { value: valueAt(from, call.args), openCall, awaited: null };
  return output === undefined
    ? { value: UNKNOWN, openCall, awaited: decode === undefined ? { path } : { path, decode } }
    : { value: valueAt(from, output), openCall, awaited: null };
}

type Change = (writes: Writes | null, from: From, isRebound: boolean) => Writes | null;

function changeAt<K>(places: Map<K, Writes>, place: K, change: (writes: Writes | null) => Writes | null): void {
  const changed = change(places.get(place) ?? null);
  if (changed === null) places.delete(place);
  else places.set(place, changed);
}

/** Changes everything that calls of a tool write to. */
function changeWrites(session: Session, { binds, unbinds, rebinds, stages }: ToolEffects, change: Change): void {
  for (const bind of binds)
    changeAt(session.slots, bind.slot, (writes) => change(writes, bind, rebinds.includes(bind.slot)));
  for (const slot of unbinds) changeAt(session.slots, slot, (writes) => change(writes, null, false));
  for (const { envelope, stage, writes: name } of stages) {
    const references = session.references[envelope];
    if (name !== null && references !== undefined) changeAt(references, name, (writes) => change(writes, stage, false));
  }
}

/** Writes what a committed call binds and stages; an output that has not arrived is `undefined`. */
export function writeValues(session: Session, call: Call, output: Json | undefined): void {
  const { binds, unbinds, stages } = call.tool;
  // No closures, because every call comes here.
  for (const bind of binds) writeAt(session.slots, bind.slot, written(call, bind, output));
  for (const slot of unbinds) writeAt(session.slots, slot, written(call, null, output));
  for (const { envelope, stage, writes: name } of stages) {
    const references = session.references[envelope];
    if (name !== null && references !== undefined) writeAt(references, name, written(call, stage, output));
  }
}

function writeAt<K>(places: Map<K, Writes>, place: K, write: Write): void {
  places.set(place, added(write.openCall === null ? null : (places.get(place) ?? null), write));
}

/** A call happened and binds nothing, because its output was rejected: what it unbinds is not known any more. */
export function unsetValues({ slots }: Session, { tool: { unbinds, rebinds } }: DeniedCall): void {
  for (const slot of [...unbinds, ...rebinds]) changeAt(slots, slot, (writes) => added(writes, UNSET));
}

const UNSET: Write = { value: undefined, openCall: null, awaited: null };

/** The write of a call that has settled; null if it writes nothing. */
function settledWrite(write: Write, output: Json | undefined, isRebound: boolean): Write | null {
  if (write.awaited === null) return { ...write, openCall: null };
  if (output === undefined) return isRebound ? UNSET : null;
  return { value: valueAt(write.awaited, output), openCall: null, awaited: null };
}

/** The output of a call committed at dispatch arrived, or never will; undefined if it was rejected and writes nothing. */
export function settleWrites(session: Session, call: Call, output: Json | undefined): void {
  changeWrites(session, call.tool, (writes, _from, isRebound) => {
    const later: Write[] = [];
    let rest = writes;
    // A call may write to one place several times, one after the other.
    while (rest !== null && rest.last.openCall !== call.id) {
      later.push(rest.last);
      rest = rest.before;
    }
    if (rest === null) return writes;
    const own: Write[] = [];
    for (; rest !== null && rest.last.openCall === call.id; rest = rest.before) own.push(rest.last);
    let settled = rest;
    for (const write of own.reverse()) {
      const now = settledWrite(write, output, isRebound);
      if (now !== null) settled = added(settled, now);
    }
    for (const write of later.reverse()) settled = added(settled, write);
    return settled;
  });
}
