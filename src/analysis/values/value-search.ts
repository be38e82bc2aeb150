import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import { type CapName, cut, first, most } from "../model/caps.js";
import { isModest } from "./value-list.js";

/** A condition on a value, and changes that may fix a value that does not meet it. */
export interface Wish {
  /** A value must meet these; the other wishes are met as far as possible. */
  readonly isMust: boolean;
  holds(value: Json): boolean;
  changes(value: Json): Iterable<Json>;
}

/** The best value that was found. */
export interface Found {
  readonly value: Json;
  /** It meets every must. */
  readonly isGood: boolean;
  /** It meets every wish. */
  readonly isPerfect: boolean;
}

interface State {
  readonly value: Json;
  readonly cost: number;
  readonly isGood: boolean;
  readonly changes: Iterator<Json>;
}

const MUST_COST = 8;
/** Making a value that was judged before costs less than judging a new one. */
const REPEAT_COST = 1 / 4;

function* changesOf(value: Json, broken: readonly Wish[]): Generator<Json> {
  for (const wish of first(broken, "flaws_fixed")) yield* wish.changes(value);
}

function stateOf(value: Json, wishes: readonly Wish[]): State {
  const broken = wishes.filter((wish) => !wish.holds(value));
  const musts = broken.filter(({ isMust }) => isMust);
  const cost = musts.length * MUST_COST + (broken.length - musts.length);
  return { value, cost, isGood: musts.length === 0, changes: changesOf(value, broken) };
}

/** The states to be changed, the best first; among equals, the oldest. */
class Queue {
  private readonly byCost = new Map<number, State[]>();

  add(state: State): void {
    const equal = this.byCost.get(state.cost) ?? [];
    this.byCost.set(state.cost, equal);
    equal.push(state);
  }

  best(): State | undefined {
    const costs = [...this.byCost].filter(([, states]) => states.length > 0).map(([cost]) => cost);
    return this.byCost.get(Math.min(...costs))?.[0];
  }

  drop(state: State): void {
    this.byCost.get(state.cost)?.shift();
  }
}

/** Searches for a value that meets all wishes by repeatedly changing the best one so far. */
export function searchValue(starts: readonly Json[], wishes: readonly Wish[], attempts: CapName, more = 0): Found {
  const queue = new Queue();
  const seen = new Set<string>();
  let left = most(attempts) + more;
  let limit = attempts;
  let best: State | null = null;
  const visit = (value: Json): void => {
    const key = isModest(value) ? canonicalJson(value) : "";
    left -= REPEAT_COST;
    if (key === "" || seen.has(key)) return;
    seen.add(key);
    left -= 1;
    const state = stateOf(value, wishes);
    queue.add(state);
    if (best !== null && state.cost >= best.cost) return;
    if (state.isGood && best?.isGood !== true && left > most("attempts_better")) {
      left = most("attempts_better");
      limit = "attempts_better";
    }
    best = state;
  };
  const top = (): State | null => best;
  for (const start of starts) visit(start);
  for (let state = queue.best(); state !== undefined && left > 0 && top()?.cost !== 0; state = queue.best()) {
    const { done, value } = state.changes.next();
    if (done === true) queue.drop(state);
    else visit(value);
  }
  if (left <= 0 && top()?.cost !== 0) cut(limit);
  const { value, isGood, cost } = top() ?? stateOf({}, wishes);
  return { value, isGood, isPerfect: cost === 0 };
}
