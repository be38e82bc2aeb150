/** Somebody in a line. */
export interface Waiting {
  readonly enter: () => void;
  /** By whom it can be told apart from others; undefined where nobody asks for it. */
  readonly who: object | undefined;
  /** It waits no longer. */
  hasLeft: boolean;
}

/** So many places that are empty are worth a copy of the others. */
const MANY = 1024;

/** Those that wait, in the order of arrival. Letting the next one in costs the same however many wait. */
export class Line {
  private waiting: Waiting[] = [];
  private first = 0;

  add(last: Waiting): void {
    this.waiting.push(last);
  }

  /** Takes out who came first; undefined if nobody waits. */
  next(): Waiting | undefined {
    while (this.first < this.waiting.length) {
      const next = this.waiting[this.first];
      this.first += 1;
      if (next !== undefined && !next.hasLeft) {
        this.tidy();
        return next;
      }
    }
    this.tidy();
    return undefined;
  }

  /** Takes out who it is, wherever in the line. */
  taken(who: object): Waiting | undefined {
    const at = this.waiting.findIndex((each, place) => place >= this.first && each.who === who && !each.hasLeft);
    return at < 0 ? undefined : this.waiting.splice(at, 1)[0];
  }

  private tidy(): void {
    const isEmpty = this.first === this.waiting.length;
    if (isEmpty && this.first > 0) this.waiting = [];
    else if (this.first >= MANY && this.first * 2 >= this.waiting.length) this.waiting.splice(0, this.first);
    else return;
    this.first = 0;
  }
}
