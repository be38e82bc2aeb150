import type { Json } from "../base/json.js";
import type { ReferenceName } from "./program.js";
import { readDefinite } from "./read-path.js";
import type { Call, Session } from "./session.js";

/** An output that has not arrived: it may be anything. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** A value as it may turn out; undefined where it may be unset. */
export type Possible = Json | typeof UNKNOWN | undefined;

/** What one unsettled call may write to something; null where it does not touch it. */
type Write = { readonly value: Possible } | null;

function definite(call: Call, path: Call["tool"]["binds"][number]["path"]): Possible {
  return path.kind === "definite" ? readDefinite(path.steps, call.args) : undefined;
}

function slotWrite(call: Call, slot: string): Write {
  const bind = call.tool.binds.find((candidate) => candidate.slot === slot);
  if (bind === undefined) return null;
  // What a call committed at dispatch takes from its arguments is written already.
  if (bind.source === "arguments") return call.tool.commitsAtDispatch ? null : { value: definite(call, bind.path) };
  return { value: UNKNOWN };
}

function referenceWrite(call: Call, envelope: number, name: ReferenceName): Write {
  let write: Write = null;
  for (const { envelope: own, stage, writes } of call.tool.stages) {
    if (own !== envelope || writes !== name) continue;
    if (stage.source === "output") write = { value: UNKNOWN };
    else if (!call.tool.commitsAtDispatch) write = { value: definite(call, stage.path) };
  }
  return write;
}

/**
 * Every value that something may hold once the unsettled calls have ended, whichever of them happen, in whichever order:
 * the present value, or what one of them writes last. A call committed at dispatch surely writes its output, or unsets.
 */
function possibleValues(
  session: Session,
  present: Json | undefined,
  writeOf: (call: Call) => Write,
): readonly Possible[] {
  const values: Possible[] = [];
  let base: Possible = present;
  for (const call of session.unsettled.values()) {
    const write = writeOf(call);
    if (write === null) continue;
    if (call.tool.commitsAtDispatch) base = UNKNOWN;
    else values.push(write.value);
  }
  values.push(base);
  return values;
}

/** Every value a slot may hold. */
export function possibleSlotValues(session: Session, slot: string): readonly Possible[] {
  const present = session.slots.get(slot);
  if (session.unsettled.size === 0) return [present];
  return possibleValues(session, present, (call) => slotWrite(call, slot));
}

/** Every value a reference of an envelope may hold. */
export function possibleReferences(session: Session, envelope: number, name: ReferenceName): readonly Possible[] {
  const present = session.references[envelope]?.get(name);
  if (session.unsettled.size === 0) return [present];
  return possibleValues(session, present, (call) => referenceWrite(call, envelope, name));
}

/** Every phase the session may be in, the present one first. */
export function possiblePhases(session: Session, present: string): readonly string[] {
  const phases = new Set([present]);
  for (const { tool } of session.unsettled.values()) {
    if (tool.advancesTo !== null && !tool.commitsAtDispatch) phases.add(tool.advancesTo);
  }
  return [...phases];
}

/** The unsettled calls that may still write one of the slots. */
export function writersOf(session: Session, slots: ReadonlySet<string>): readonly Call[] {
  return [...session.unsettled.values()].filter((call) => [...slots].some((slot) => slotWrite(call, slot) !== null));
}

/** What a call, should it happen, writes to a slot. */
export function writtenBy(call: Call, slot: string): Write {
  return slotWrite(call, slot);
}
