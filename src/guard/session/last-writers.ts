import { spend } from "../../base/cost.js";
import { slotWrite } from "../decide/worlds.js";
import type { Call } from "./call.js";

/** The open call that writes each slot last; null if none does, so that the slot keeps its present value. */
export type LastWriters = ReadonlyMap<string, Call | null>;

/** The cost of trying one call as the last writer of one slot. */
const TRY_COST = 500;

/** Whether some order of commits makes each of the calls the last writer of its slots. */
function hasOrder(choice: LastWriters): boolean {
  const left = new Set([...choice.values()].filter((call) => call !== null));
  const canComeLast = (call: Call): boolean =>
    [...choice].every(
      ([slot, last]) => slotWrite(call, slot) === null || last === call || (last !== null && !left.has(last)),
    );
  // From the last commit to the first: calls that are not left were committed later.
  for (;;) {
    const last = [...left].find(canComeLast);
    if (last === undefined) return left.size === 0;
    left.delete(last);
  }
}

/**
 * Every choice of last writers that some order of commits leads to, or null if more than `most` would have to be tried. The calls
 * that a choice names have happened; any other may have happened or not: it may have come earlier, or its output may be
 * rejected, so that it counts and binds nothing.
 */
export function lastWritersOf(
  slots: Iterable<string>,
  writers: readonly Call[],
  most: number,
): readonly LastWriters[] | null {
  let tried = 0;
  let choices: readonly LastWriters[] = [new Map()];
  for (const slot of slots) {
    const candidates = [null, ...writers.filter((call) => slotWrite(call, slot) !== null)];
    tried += choices.length * candidates.length;
    if (tried > most) return null;
    spend(TRY_COST * choices.length * candidates.length);
    choices = choices
      .flatMap((choice) => candidates.map((last) => new Map(choice).set(slot, last)))
      .filter((choice) => hasOrder(choice));
  }
  return choices;
}
