import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { median } from "../measure.mjs";

/** Milliseconds that some work takes. */
export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Turns of one call each: a slow moment of the disk hits all alike, and all find the caches of the processor alike. */
export const CALL_BY_CALL = { count: 1, warmUps: 300, turns: 2001, pauseMs: 0 };
/** Longer turns, for what is at work all the time; what one has announced without waiting for it is sent before the next begins. */
export const LONG_TURNS = { count: 16, warmUps: 12, turns: 61, pauseMs: 10 };

/**
 * The median of what each contestant measures in its turns, so many of them. Each is a function that returns a promise of a
 * number.
 */
export async function medianTurns(contestants, { warmUps, turns, pauseMs }) {
  const names = Object.keys(contestants);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUps; round < turns; round++) {
    for (const name of names) {
      const value = await contestants[name]();
      if (round >= 0) measured[name].push(value);
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(measured[name])]));
}
