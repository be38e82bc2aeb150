import type { CodePointSet } from "../base/code-point-set.js";
import { type Automaton, type Outlook, TooManyStates } from "./automaton.js";
import { type Assertion, nfaOf, type PatternNfa, WORD } from "./pattern-nfa.js";

/** The code point before or after a place: none, not of a word, or of one. */
const [NOTHING, OTHER, OF_WORD] = [0, 1, 2];

const MOST_STATES = 4_000;
/** Places visited while states are made. */
const MOST_VISITS = 4_000_000;

interface State {
  /** The places to continue from. */
  readonly places: readonly number[];
  readonly before: number;
  readonly next: Map<number, number>;
  /** Whether a text may end here; null until that is asked. */
  isEnd: boolean | null;
}

const MATCHED = 1;

/** The texts in which a pattern matches somewhere; deterministic, by sets of places. */
export class PatternAutomaton implements Automaton {
  readonly cuts: readonly number[];
  private readonly states: State[];
  private readonly known = new Map<string, number>();
  private readonly hasBoundary: boolean;
  private readonly canBeginLater: boolean;
  /** The class of the code points from each cut on; first of those before all cuts. */
  private readonly classes: readonly number[];
  private visits = 0;

  constructor(private readonly nfa: PatternNfa) {
    const { places, entry } = nfa;
    this.hasBoundary = places.some(
      (place) => place.kind === "assert" && (place.assertion === "boundary" || place.assertion === "inside"),
    );
    const read = places.flatMap((place) => (place.kind === "read" ? [place.set] : []));
    const sets = [...new Set([...read, ...(this.hasBoundary ? [WORD] : [])])];
    this.cuts = [...new Set(sets.flatMap(endsOf))].sort((a, b) => a - b);
    const numbers = new Map<string, number>();
    this.classes = [-1, ...this.cuts].map((codePoint) => {
      const key = sets.map((set) => (isIn(set, codePoint) ? 1 : 0)).join("");
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    this.states = [
      { places: [entry], before: NOTHING, next: new Map(), isEnd: null },
      { places: [], before: NOTHING, next: new Map(), isEnd: null },
    ];
    this.canBeginLater = this.reached([entry], (assertion) => assertion !== "start").length > 0;
  }

  /** The places that read or end, which are reached without reading. */
  private reached(from: readonly number[], holds: (assertion: Assertion) => boolean): readonly number[] {
    const seen = new Set(from);
    const found: number[] = [];
    // Places that are added while it runs are visited too.
    for (const at of seen) {
      this.visits += 1;
      const place = this.nfa.places[at];
      if (place?.kind === "choice") for (const next of place.next) seen.add(next);
      else if (place?.kind === "assert") {
        if (holds(place.assertion)) seen.add(place.next);
      } else found.push(at);
    }
    if (this.visits > MOST_VISITS) throw new TooManyStates("a pattern takes too long");
    return found;
  }

  private around(before: number, after: number): (assertion: Assertion) => boolean {
    return (assertion) => {
      if (assertion === "start") return before === NOTHING;
      if (assertion === "end") return after === NOTHING;
      return ((before === OF_WORD) !== (after === OF_WORD)) === (assertion === "boundary");
    };
  }

  classOf(codePoint: number): number {
    return this.classes[placeIn(this.cuts, codePoint)] ?? 0;
  }

  step(state: number, codePoint: number): number {
    if (state === MATCHED) return MATCHED;
    const from = this.states[state];
    const number = this.classOf(codePoint);
    const known = from?.next.get(number);
    if (known !== undefined || from === undefined) return known ?? MATCHED;
    const after = this.hasBoundary && isIn(WORD, codePoint) ? OF_WORD : OTHER;
    const next = this.follow(from, codePoint, after);
    from.next.set(number, next);
    return next;
  }

  private follow(from: State, codePoint: number, after: number): number {
    const here = this.reached(from.places, this.around(from.before, after));
    const next = new Set<number>(this.canBeginLater ? [this.nfa.entry] : []);
    for (const at of here) {
      const place = this.nfa.places[at];
      if (place?.kind === "end") return MATCHED;
      if (place?.kind === "read" && isIn(place.set, codePoint)) next.add(place.next);
    }
    return this.numberOf(
      [...next].sort((a, b) => a - b),
      after,
    );
  }

  private numberOf(places: readonly number[], before: number): number {
    const key = `${before} ${places.join(" ")}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.states.length >= MOST_STATES) throw new TooManyStates("a pattern has too many states");
    this.states.push({ places, before, next: new Map(), isEnd: null });
    this.known.set(key, this.states.length - 1);
    return this.states.length - 1;
  }

  accepts(state: number): boolean {
    const here = this.states[state];
    if (state === MATCHED || here === undefined) return state === MATCHED;
    here.isEnd ??= this.reached(here.places, this.around(here.before, NOTHING)).includes(0);
    return here.isEnd;
  }

  outlook(state: number): Outlook {
    if (state === MATCHED) return "all";
    return this.states[state]?.places.length === 0 ? "none" : "open";
  }
}

function endsOf(set: CodePointSet): readonly number[] {
  return set.flatMap(({ from, to }) => [from, to + 1]);
}

function isIn(set: CodePointSet, codePoint: number): boolean {
  let [low, high] = [0, set.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = set[middle];
    if (range === undefined || codePoint < range.from) high = middle - 1;
    else if (codePoint > range.to) low = middle + 1;
    else return true;
  }
  return false;
}

/** The number of cuts at or before a code point. */
function placeIn(cuts: readonly number[], codePoint: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] ?? 0) <= codePoint) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MOST_KEPT = 300;
const automata = new Map<string, PatternAutomaton | null>();

/** The automaton of a pattern; null where it is not modelled. Kept, because the same pattern is asked about often. */
export function patternAutomaton(source: string): PatternAutomaton | null {
  const known = automata.get(source);
  if (known !== undefined) return known;
  const nfa = nfaOf(source);
  const made = nfa === null ? null : new PatternAutomaton(nfa);
  if (automata.size >= MOST_KEPT) automata.clear();
  automata.set(source, made);
  return made;
}
