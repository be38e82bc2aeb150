/** The choices of one walk through a tree whose forks are found while walking. */
export class Tape {
  private readonly turns: { at: number; readonly options: number }[] = [];
  private depth = 0;

  /** Whether the first option was taken at every fork so far. */
  get isFirst(): boolean {
    return this.turns.every(({ at }) => at === 0);
  }

  /** The choice at the next fork, which has some options: the first one on the first walk past it. */
  choose(options: number): number {
    const known = this.turns[this.depth];
    if (known === undefined) this.turns.push({ at: 0, options });
    this.depth += 1;
    return known?.at ?? 0;
  }

  /** Prepares the next walk; false after the last one. */
  next(): boolean {
    this.depth = 0;
    for (let last = this.turns.at(-1); last !== undefined; last = this.turns.at(-1)) {
      last.at += 1;
      if (last.at < last.options) return true;
      this.turns.pop();
    }
    return false;
  }
}
