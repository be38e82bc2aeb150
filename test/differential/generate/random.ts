/** A small seeded generator (mulberry32): the same seed gives the same cases, on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const index = this.below(choices.length);
    for (const [at, choice] of choices.entries()) if (at === index) return choice;
    throw new Error("nothing to pick from");
  }

  /** One of the functions, called. */
  make<T>(makers: readonly (() => T)[]): T {
    return this.pick(makers)();
  }

  /** Each item with the probability; at least one where `some` is asked for. */
  subset<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }

  some<T>(items: readonly T[], probability: number): T[] {
    const chosen = this.subset(items, probability);
    return chosen.length > 0 ? chosen : [this.pick(items)];
  }

  list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  /** The fields with the probability, else nothing: for optional parts of an object. */
  maybe<T extends object>(probability: number, make: () => T): T | Record<never, never> {
    return this.chance(probability) ? make() : {};
  }

  /** A seed for a part of the case. */
  fork(): number {
    return Math.floor(this.next() * 4294967296);
  }
}
