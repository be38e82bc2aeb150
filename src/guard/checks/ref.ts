import type { CheckOf } from "../../artifact/compiled.js";
import { haveNumberWithin, isWithin } from "../../base/decimal.js";
import { deepEqual } from "../../base/equal.js";
import type { Json } from "../../base/json.js";
import { showPart } from "../../base/wording.js";
import { type Block, block, blockUntil } from "../decide/verdict.js";
import { possibleSlotValues, present } from "../decide/worlds.js";
import type { Check, Run } from "../program/program.js";
import { UNKNOWN } from "../session/call.js";
import type { Session } from "../session/session.js";
import { readAll, readDefinite } from "../values/read-path.js";

function agrees(value: Json, bound: Json, tolerance: number | null): boolean {
  if (deepEqual(value, bound)) return true;
  if (tolerance === null || typeof value !== "number" || typeof bound !== "number") return false;
  return isWithin(value, bound, tolerance);
}

/** Whether some argument agrees with both values. */
function canAgree(a: Json, b: Json, tolerance: number | null): boolean {
  if (deepEqual(a, b)) return true;
  return tolerance !== null && typeof a === "number" && typeof b === "number" && haveNumberWithin(a, b, tolerance);
}

/** Built only when a call is refused. */
function required({ path, slot, tolerance }: CheckOf<"ref">): string {
  return `${path.text} equal to the bound \`${slot}\`${tolerance === null ? "" : ` within ${tolerance}`}`;
}

/** The tools that bind a slot, and whether calls may unbind it. */
export interface SlotWriters {
  readonly binders: readonly string[];
  readonly isUnbound: boolean;
}

/** Tells apart a slot that no call has bound from one that a call will bind, or left unset. */
function unset(check: CheckOf<"ref">, { binders, isUnbound }: SlotWriters, { open, slots }: Session): Block {
  const { at, slot } = check;
  if (open?.slot(slot) !== undefined) {
    const found = `\`${slot}\` is not set before a call has settled`;
    return block("ref_unset", at, required(check), found, "settlement");
  }
  const left = isUnbound ? `\`${slot}\` is not known any more` : `the latest output did not set \`${slot}\``;
  const found = slots.has(slot) ? left : `\`${slot}\` is not set yet`;
  return blockUntil(binders, "ref_unset", at, required(check), found);
}

/** Refuses an argument that differs from a bound value, or may differ once open calls end. */
export function ref(check: CheckOf<"ref">, writers: SlotWriters): Pick<Check, "run" | "surely"> {
  const { at, slot, path, tolerance } = check;
  const surely: Run = (_proposal, session) => {
    // 0 is within a tolerance of 1 or more of every number, so a few values represent all.
    const possible = possibleSlotValues(session, slot, tolerance === null ? null : Math.min(tolerance, 1));
    if (possible.includes(undefined)) return unset(check, writers, session);
    if (possible.includes(UNKNOWN)) return awaited(check);
    if (possible.length === 1) return null;
    const known = possible.filter((value): value is Json => value !== UNKNOWN && value !== undefined);
    return known.every((a) => known.every((b) => canAgree(a, b, tolerance))) ? null : rebound(check);
  };
  /** The commonest case: one value, and no unsettled call that may bind another one. */
  const isSurelyEqual = (args: Json, { slots, open }: Session): boolean => {
    if (open !== null || path.kind !== "definite") return false;
    const bound = present(slots.get(slot));
    const value = readDefinite(path.steps, args);
    return bound !== undefined && bound !== UNKNOWN && value !== undefined && agrees(value, bound, tolerance);
  };
  const run: Run = ({ args }, session) => {
    if (isSurelyEqual(args, session)) return null;
    const possible = possibleSlotValues(session, slot, tolerance);
    if (possible.includes(undefined)) return unset(check, writers, session);
    const values = readAll(path, args);
    let isOpen = false;
    for (const [index, bound] of possible.entries()) {
      if (bound === UNKNOWN) isOpen = true;
      else if (bound !== undefined) {
        const other = values.find((value) => !agrees(value, bound, tolerance));
        if (values.length === 0 || (other !== undefined && index === 0))
          return block("ref_mismatch", at, required(check), showPart(other, args));
        if (other !== undefined) return rebound(check);
      }
    }
    return isOpen ? awaited(check) : null;
  };
  return { run, surely };
}

/** What an unsettled call will bind is not known yet. */
function awaited(check: CheckOf<"ref">): Block {
  return block("pending_conflict", check.at, required(check), "a call that may rebind it");
}

/** Only what an unsettled call would bind differs: a refusal must not ask for the value that was given. */
function rebound(check: CheckOf<"ref">): Block {
  const found = `a call that has not settled and binds another \`${check.slot}\``;
  return block("ref_mismatch", check.at, required(check), found, "settlement");
}
