import type { ReferenceName } from "../program/tool-effects.js";
import type { Call, Possible } from "../session/call.js";
import type { OpenWrites } from "../session/open-effects.js";
import { writtenValue } from "../session/open-effects.js";
import type { Session, Writes } from "../session/session.js";

/** The value of the last committed write. */
export function present(writes: Writes | undefined): Possible {
  return writes?.last.value;
}

/** What one unsettled call may write to a place; null if it does not write there. */
type OpenWrite = { readonly value: Possible } | null;

/** What a call writes to a slot if it happens. */
export function slotWrite(call: Call, slot: string): OpenWrite {
  const bind = call.tool.binds.find((candidate) => candidate.slot === slot);
  if (bind !== undefined) return { value: writtenValue(call, bind) };
  return call.tool.unbinds.includes(slot) ? { value: undefined } : null;
}

/**
 * Whether the references that accept a value are an interval: a tolerance above 1 accepts large ones of either sign, and none
 * between them.
 */
function isInterval(tolerance: number | null): boolean {
  return tolerance === null || tolerance <= 1;
}

/**
 * The values that a place may have once the unsettled calls have ended, whichever of them happen, in any order: the present
 * value, or what one of them writes last. Calls committed at dispatch have written already. If a few values can represent all
 * (`isInterval`), only those are returned, so that many open calls cost no more than one.
 */
function possibleValues(now: Possible, open: OpenWrites | undefined, tolerance: number | null): readonly Possible[] {
  if (open === undefined) return [now];
  return [now, ...(isInterval(tolerance) ? open.samples() : open.values())];
}

/** The values a slot may hold, for a comparison with that tolerance. */
export function possibleSlotValues(session: Session, slot: string, tolerance: number | null): readonly Possible[] {
  return possibleValues(present(session.slots.get(slot)), session.open?.slot(slot), tolerance);
}

/** The values a reference of an envelope may hold, for a comparison with that band. */
export function possibleReferences(
  session: Session,
  { envelope, name, band }: { readonly envelope: number; readonly name: ReferenceName; readonly band: number | null },
): readonly Possible[] {
  const now = present(session.references[envelope]?.get(name));
  return possibleValues(now, session.open?.reference(envelope, name), band);
}

/** Every phase the session may be in, the present one first, the others by name: their order must not depend on calls that ended. */
export function possiblePhases({ open }: Session, now: string): readonly string[] {
  const phases = open === null ? [] : [...open.phases.keys()].sort();
  return [now, ...phases.filter((phase) => phase !== now)];
}

/** The reserved calls that may still write one of the slots. */
export function writersOf({ open }: Session, slots: ReadonlySet<string>): readonly Call[] {
  if (open === null) return [];
  const writers = new Set<Call>();
  for (const slot of slots) for (const call of open.slot(slot)?.calls ?? []) writers.add(call);
  return [...writers];
}
