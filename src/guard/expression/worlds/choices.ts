import { spend } from "../../../base/cost.js";
import type { Call } from "../../session/call.js";

/** Which call writes a place last; null if none does, so that it keeps its present value. */
interface Choice {
  readonly place: string;
  /** All open calls that write the place. */
  readonly writers: ReadonlySet<Call>;
  /** What may be chosen, given the choices before this one. */
  readonly candidates: readonly (Call | null)[];
  at: number;
}

type Chosen = Pick<Choice, "writers"> & { readonly last: Call | null };

/** Whether some order of commits makes each of the calls the last writer of its places. */
function hasOrder(chosen: readonly Chosen[]): boolean {
  const left = new Set(chosen.flatMap(({ last }) => (last === null ? [] : [last])));
  const canComeLast = (call: Call): boolean =>
    chosen.every(({ writers, last }) => !writers.has(call) || last === call || (last !== null && !left.has(last)));
  // From the last commit to the first: calls that are not left were committed later.
  for (;;) {
    const last = [...left].find(canComeLast);
    if (last === undefined) return left.size === 0;
    left.delete(last);
  }
}

/** The cost of trying one call as the last writer of one place. */
const TRY_COST = 100;

/**
 * The choices of one world, made when a place is read for the first time. The first world is the present one; `next` goes on to another
 * one, depth first, so that worlds come in the order in which the calls were reserved.
 */
export class Choices {
  private readonly made: Choice[] = [];
  private readonly byPlace = new Map<string, Choice>();

  /** Whether no unsettled call has changed anything in this world. */
  get arePresent(): boolean {
    return this.made.every(({ at }) => at === 0);
  }

  /** The call that writes a place last in this world; null if none does. */
  lastWriter(place: string, writers: ReadonlySet<Call>): Call | null {
    const known = this.byPlace.get(place);
    if (known !== undefined) return known.candidates[known.at] ?? null;
    const candidates = this.candidatesOf(writers);
    const choice: Choice = { place, writers, candidates, at: 0 };
    this.made.push(choice);
    this.byPlace.set(place, choice);
    return null;
  }

  /** Goes on to the next world; false if there is none. */
  next(): boolean {
    for (;;) {
      const choice = this.made.at(-1);
      if (choice === undefined) return false;
      choice.at += 1;
      if (choice.at < choice.candidates.length) return true;
      this.made.pop();
      this.byPlace.delete(choice.place);
    }
  }

  private candidatesOf(writers: ReadonlySet<Call>): readonly (Call | null)[] {
    const chosen = this.made.map((choice) => ({
      writers: choice.writers,
      last: choice.candidates[choice.at] ?? null,
    }));
    spend(TRY_COST * (1 + writers.size) * (1 + chosen.length));
    // Without other choices every call may come last.
    if (chosen.length === 0) return [null, ...writers];
    return [null, ...writers].filter((last) => last === null || hasOrder([...chosen, { writers, last }]));
  }
}
