/** Something that must never happen has happened. */
export class Broken extends Error {
  constructor(
    readonly invariant: string,
    detail: string,
  ) {
    super(`${invariant}: ${detail}`);
    this.name = "Broken";
  }
}

/** The first one: it may be thrown where the code under test catches everything. */
let first: Broken | null = null;

/** Fails unless something holds. */
export function must(holds: boolean, invariant: string, detail: () => string): void {
  if (holds) return;
  first ??= new Broken(invariant, detail());
  throw first;
}

/** What was found since the last call. */
export function takeBroken(): Broken | null {
  const found = first;
  first = null;
  return found;
}
