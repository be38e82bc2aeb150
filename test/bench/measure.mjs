import { performance } from "node:perf_hooks";

/** A measured value beside its goal: at most a limit, or below one. */
export function figure(value, unit, { atMost, below }) {
  const isMet = below === undefined ? value <= atMost : value < below;
  return { value: rounded(value), unit, goal: below === undefined ? `<= ${atMost}` : `< ${below}`, ok: isMet };
}

/** Three significant digits: more would be noise. */
export function rounded(value) {
  return Number(value.toPrecision(3));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The median milliseconds of each task. The tasks take turns, so that a slow moment of the machine hits all of them
 * and ratios between them hold.
 */
export function medians(tasks, { warmUps, repetitions }) {
  const names = Object.keys(tasks);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUps; round < repetitions; round++) {
    for (const name of names) {
      const start = performance.now();
      tasks[name]();
      const elapsed = performance.now() - start;
      if (round >= 0) times[name].push(elapsed);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}
