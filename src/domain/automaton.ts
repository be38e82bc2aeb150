/** What is known of a state: whether every text that continues from it is accepted, none is, or it depends. */
export type Outlook = "all" | "none" | "open";

/** A deterministic automaton over code points, whose states are numbers that are made when they are reached; 0 is the first. */
export interface Automaton {
  /** Code points at which a class of equal code points may begin, in order. */
  readonly cuts: readonly number[];
  /** Equal for code points that the automaton does not distinguish. */
  classOf(codePoint: number): number;
  step(state: number, codePoint: number): number;
  /** Whether a text that ends in the state is accepted. */
  accepts(state: number): boolean;
  outlook(state: number): Outlook;
}

/** Thrown where an automaton has more states than are made. */
export class TooManyStates extends Error {}

/** The state after a text. */
export function stateAfter(automaton: Automaton, text: string): number {
  let state = 0;
  for (const character of text) {
    if (automaton.outlook(state) !== "open") return state;
    state = automaton.step(state, character.codePointAt(0) ?? 0);
  }
  return state;
}

const DEAD = 1;
/** The class of all code points that an automaton does not name. */
const ANY_OTHER = -1;

/** Each code point as a class of its own. */
function cutsAround(codePoints: Iterable<number>): readonly number[] {
  const cuts = new Set([...codePoints].flatMap((codePoint) => [codePoint, codePoint + 1]));
  return [...cuts].sort((a, b) => a - b);
}

/** Texts with a number of code points in a range. */
export class LengthAutomaton implements Automaton {
  readonly cuts: readonly number[] = [];

  constructor(
    readonly low: number,
    readonly high: number,
  ) {}

  classOf(): number {
    return 0;
  }

  /** Lengths above the last one that matters are one state. */
  step(state: number): number {
    const most = this.high === Number.POSITIVE_INFINITY ? this.low : this.high + 1;
    return Math.min(state + 1, most);
  }

  accepts(state: number): boolean {
    return state >= this.low && state <= this.high;
  }

  outlook(state: number): Outlook {
    if (state > this.high || this.low > this.high) return "none";
    return state >= this.low && this.high === Number.POSITIVE_INFINITY ? "all" : "open";
  }
}

/** The tree of the beginnings of some texts. */
class Tree {
  readonly next: Map<number, number>[] = [new Map(), new Map()];
  readonly ends = new Set<number>();
  readonly codePoints = new Set<number>();

  constructor(texts: ReadonlySet<string>) {
    for (const text of texts) {
      let state = 0;
      for (const character of text) {
        const codePoint = character.codePointAt(0) ?? 0;
        this.codePoints.add(codePoint);
        state = this.child(state, codePoint);
      }
      this.ends.add(state);
    }
  }

  private child(state: number, codePoint: number): number {
    const known = this.next[state]?.get(codePoint);
    if (known !== undefined) return known;
    this.next.push(new Map());
    this.next[state]?.set(codePoint, this.next.length - 1);
    return this.next.length - 1;
  }
}

/** Some texts; their tree is made when it is needed. */
export class ListAutomaton implements Automaton {
  private made: Tree | null = null;

  constructor(readonly texts: ReadonlySet<string>) {}

  private get tree(): Tree {
    this.made ??= new Tree(this.texts);
    return this.made;
  }

  get cuts(): readonly number[] {
    return cutsAround(this.tree.codePoints);
  }

  classOf(codePoint: number): number {
    return this.tree.codePoints.has(codePoint) ? codePoint : ANY_OTHER;
  }

  step(state: number, codePoint: number): number {
    return this.tree.next[state]?.get(codePoint) ?? DEAD;
  }

  accepts(state: number): boolean {
    return this.tree.ends.has(state);
  }

  outlook(state: number): Outlook {
    return state === DEAD ? "none" : "open";
  }
}

/** Texts with a part somewhere. */
export class PartAutomaton implements Automaton {
  readonly cuts: readonly number[];
  private readonly part: readonly number[];
  /** How much of the part a text still ends with after a code point that does not continue it. */
  private readonly fallbacks: readonly number[];

  constructor(part: string) {
    this.part = [...part].map((character) => character.codePointAt(0) ?? 0);
    this.cuts = cutsAround(this.part);
    const fallbacks = [0, 0];
    for (let at = 1; at < this.part.length; at++) {
      let length = fallbacks[at] ?? 0;
      while (length > 0 && this.part[length] !== this.part[at]) length = fallbacks[length] ?? 0;
      fallbacks.push(this.part[length] === this.part[at] ? length + 1 : 0);
    }
    this.fallbacks = fallbacks;
  }

  classOf(codePoint: number): number {
    return this.part.includes(codePoint) ? codePoint : ANY_OTHER;
  }

  step(state: number, codePoint: number): number {
    let length = state;
    if (length === this.part.length) return length;
    while (length > 0 && this.part[length] !== codePoint) length = this.fallbacks[length] ?? 0;
    return this.part[length] === codePoint ? length + 1 : 0;
  }

  accepts(state: number): boolean {
    return state === this.part.length;
  }

  outlook(state: number): Outlook {
    return state === this.part.length ? "all" : "open";
  }
}
