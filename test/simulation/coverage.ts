/** How often each thing happened that the simulation is meant to try. */
export class Coverage {
  private readonly counts = new Map<string, number>();

  /** `expected` are the things of which none may be missing in the end, as `kind name`. */
  constructor(expected: readonly string[]) {
    for (const name of expected) this.counts.set(name, 0);
  }

  hit(kind: string, name: string): void {
    const key = `${kind} ${name}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  add(other: Coverage): void {
    for (const [key, count] of other.counts) this.counts.set(key, (this.counts.get(key) ?? 0) + count);
  }

  get missing(): readonly string[] {
    return [...this.counts].filter(([, count]) => count === 0).map(([key]) => key);
  }

  toJSON(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
