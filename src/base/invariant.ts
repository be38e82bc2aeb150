/** Throws when one of our own assumptions is broken; never used for a user's mistake. */
export function invariant(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${claim}`);
}

/** Ends an exhaustive switch: a new union member does not compile until it has a case. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected case ${JSON.stringify(value)}`);
}
