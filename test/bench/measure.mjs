import { performance } from "node:perf_hooks";

/** A measured value beside its goal: at most a limit, below one, or at least one. */
export function figure(value, unit, goal) {
  return { value: rounded(value), unit, goal: goalText(goal), ok: meets(value, goal) };
}

/** A figure that could not be measured here, and why. */
export function skippedFigure(unit, goal, reason) {
  return { value: null, unit, goal: goalText(goal), ok: null, reason };
}

function goalText({ atMost, below, atLeast }) {
  if (below !== undefined) return `< ${below}`;
  return atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`;
}

function meets(value, { atMost, below, atLeast }) {
  if (below !== undefined) return value < below;
  return atLeast === undefined ? value <= atMost : value >= atLeast;
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
 * Of the times that some processes measured, each an object, those whose ratio of `one` to `other` lies in the middle. Which
 * functions V8 inlines is a matter of chance in each process, and makes a decision up to a fifth slower or faster.
 */
export function middleOf(measured, one, other) {
  const sorted = measured.toSorted((a, b) => a[one] / a[other] - b[one] / b[other]);
  return sorted[sorted.length >> 1];
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
