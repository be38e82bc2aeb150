import type { Json } from "../base/json.js";
import type { ReferenceName } from "./program.js";
import { readDefinite } from "./read-path.js";
import { type Call, type Possible, type Session, UNKNOWN, type Writes } from "./session.js";

/** What the last committed write left behind. */
export function present(writes: Writes | undefined): Possible {
  return writes?.at(-1)?.value;
}

/** What one unsettled call may write to something; null where it does not touch it. */
type OpenWrite = { readonly value: Possible } | null;

function definite(call: Call, path: Call["tool"]["binds"][number]["path"]): Json | undefined {
  return path.kind === "definite" ? readDefinite(path.steps, call.args) : undefined;
}

/** What a call, should it happen, writes to a slot. */
export function slotWrite(call: Call, slot: string): OpenWrite {
  const bind = call.tool.binds.find((candidate) => candidate.slot === slot);
  if (bind === undefined) return null;
  return { value: bind.source === "output" ? UNKNOWN : definite(call, bind.path) };
}

function referenceWrite(call: Call, envelope: number, name: ReferenceName): OpenWrite {
  let write: OpenWrite = null;
  for (const { envelope: own, stage, writes } of call.tool.stages) {
    if (own !== envelope || writes !== name) continue;
    write = { value: stage.source === "output" ? UNKNOWN : definite(call, stage.path) };
  }
  return write;
}

/**
 * Every value that something may hold once the unsettled calls have ended, whichever of them happen, in whichever order:
 * the present value, or what one of them writes last. What was committed at dispatch has written already.
 */
function possibleValues(session: Session, now: Possible, writeOf: (call: Call) => OpenWrite): readonly Possible[] {
  const values: Possible[] = [now];
  for (const call of session.unsettled) {
    const write = call.tool.commitsAtDispatch ? null : writeOf(call);
    if (write !== null) values.push(write.value);
  }
  return values;
}

/** Every value a slot may hold. */
export function possibleSlotValues(session: Session, slot: string): readonly Possible[] {
  const now = present(session.slots.get(slot));
  if (session.unsettled.length === 0) return [now];
  return possibleValues(session, now, (call) => slotWrite(call, slot));
}

/** Every value a reference of an envelope may hold. */
export function possibleReferences(session: Session, envelope: number, name: ReferenceName): readonly Possible[] {
  const now = present(session.references[envelope]?.get(name));
  if (session.unsettled.length === 0) return [now];
  return possibleValues(session, now, (call) => referenceWrite(call, envelope, name));
}

/** Every phase the session may be in, the present one first. */
export function possiblePhases(session: Session, now: string): readonly string[] {
  const phases = new Set([now]);
  for (const { tool } of session.unsettled) {
    if (tool.advancesTo !== null && !tool.commitsAtDispatch) phases.add(tool.advancesTo);
  }
  return [...phases];
}

/** The reserved calls that may still write one of the slots. */
export function writersOf(session: Session, slots: ReadonlySet<string>): readonly Call[] {
  return session.unsettled.filter(
    (call) => !call.tool.commitsAtDispatch && [...slots].some((slot) => slotWrite(call, slot) !== null),
  );
}
