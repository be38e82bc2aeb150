/**
 * How much a long test tries: a share of it in `npm test`, all of it in `npm run test:full`. A variable of its own gives
 * another number.
 */
export function sizeOf(variable: string, { share, full }: { readonly share: number; readonly full: number }): number {
  const given = process.env[variable];
  if (given === undefined) return isFull() ? full : share;
  if (!/^[0-9]+$/.test(given)) throw new Error(`${variable} must be a whole number, not ${given}`);
  return Number(given);
}

/** Whether every test runs in its full size. */
export function isFull(): boolean {
  return process.env.TEST_SIZE === "full";
}
