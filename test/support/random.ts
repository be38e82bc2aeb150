/** Reproducible randomness: the same seed gives the same run on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

/** The generator mulberry32; a second number selects one of many independent runs of a seed. */
export function randomFrom(seed: number, run = 0): Random {
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, pick: (items) => pickFrom(items, below), shuffled: (items) => shuffle(items, below) };
}

function pickFrom<T>(items: readonly T[], below: (limit: number) => number): T {
  for (const item of items.slice(below(items.length))) return item;
  throw new Error("there is nothing to pick from");
}

function shuffle<T>(items: readonly T[], below: (limit: number) => number): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(below(rest.length), 1));
}
