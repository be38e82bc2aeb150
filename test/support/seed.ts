/**
 * The seed of a random test: fixed, so that two runs of the tests give the same result. Its own variable or, for all tests at
 * once, `RANDOM_SEED` gives another; `npm run test:random` sets that one.
 */
export function seedOf(variable: string, usual: number): number {
  const given = process.env[variable] ?? process.env.RANDOM_SEED;
  if (given === undefined) return usual;
  if (!/^-?[0-9]+$/.test(given)) throw new Error(`${variable} must be a whole number, not ${given}`);
  return Number(given);
}

/** Whether seeds other than the usual ones were asked for. */
export function isReseeded(variable: string): boolean {
  return process.env[variable] !== undefined || process.env.RANDOM_SEED !== undefined;
}
