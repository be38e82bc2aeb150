import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { median } from "../measure.mjs";

/** Between turns: what one has announced without waiting for it is sent before the next one begins. */
const PAUSE_MS = 10;

/** Milliseconds that some work takes. */
export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * The median of what each contestant measures in its turns, so many of them: a slow moment of the disk hits all. Each is a
 * function that returns a promise of a number.
 */
export async function medianTurns(contestants, { warmUps, turns }) {
  const names = Object.keys(contestants);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUps; round < turns; round++) {
    for (const name of names) {
      const value = await contestants[name]();
      if (round >= 0) measured[name].push(value);
      await setTimeout(PAUSE_MS);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(measured[name])]));
}
