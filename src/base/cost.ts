/** Thrown where judging would take more work than is allowed; the call is then refused. */
export class CostExceeded extends Error {}

/** The work of one judgement, in units of about 4 ns: some 30 ms on the machine of docs/performance.md. */
export const MOST_WORK = 8_000_000;

const UNLIMITED = -1;

/** What is left of the budget in force. Judging is synchronous, so that one is enough for all guards of a process. */
let left = UNLIMITED;

/** Charges for work about to be done; outside a budget it is free. Once a budget is used up, every further charge fails. */
export function spend(units: number): void {
  if (left === UNLIMITED) return;
  if (units > left) {
    left = 0;
    throw new CostExceeded("judging takes more work than is allowed");
  }
  left -= units;
}

/** The engine tells longer texts apart by their lengths alone, and then compares each with all others of its length. */
const LONGEST_HASHED = 16_000;

/** Charges for texts that go into one map or set. */
export class HashedTexts {
  private long = 0;

  add(text: string): void {
    if (text.length <= LONGEST_HASHED) return;
    spend(this.long * (text.length >> 6));
    this.long += 1;
  }
}

/** How much work may still be done. */
export function workLeft(): number {
  return left === UNLIMITED ? Number.POSITIVE_INFINITY : left;
}

/** The cost of visiting all members of an object; wide ones are hash tables that outgrow the processor's cache. */
export function memberCost(members: number): number {
  return members <= 256 ? 8 * members : 128 * members;
}

/** The cost of listing the values of an object, without looking any of them up. */
export function listingCost(members: number): number {
  return members <= 256 ? 4 * members : 48 * members;
}

/** The keys of an object; where they cost more than is left, they are not even listed. */
export function ownKeys(value: object): readonly string[] {
  if (left === UNLIMITED) return Object.keys(value);
  if (left === 0) spend(1);
  const keys = Object.keys(value);
  spend(4 * keys.length);
  return keys;
}

/** Opens a budget; always pass the result to `closeBudget`. No closure, because every decision does this. */
export function openBudget(): number {
  const outer = left;
  left = MOST_WORK;
  return outer;
}

/** What was left of the budget that `closeBudget` closed last. */
let rest = MOST_WORK;

/** Goes back to the budget that was in force before. */
export function closeBudget(outer: number): void {
  rest = left;
  left = outer;
}

/** The work within the budget that `closeBudget` closed last, for searches that add up the work of many judgements. */
export function lastWork(): number {
  return MOST_WORK - rest;
}

/** The work of all budgets that `withinBudget` closed, so that a list of judgements can stop when their total is too much. */
let done = 0;

/** How much work was done within `withinBudget` so far; only differences are meaningful. */
export function workDone(): number {
  return done;
}

/** Goes back to the budget that was in force before, and adds what was done within this one to what `workDone` gives. */
export function closeCounted(outer: number): void {
  done += MOST_WORK - left;
  left = outer;
}

/** Does work under its own budget; `exceeded` gives the result where the budget is used up. */
export function withinBudget<T>(work: () => T, exceeded: () => T): T {
  return sharingBudget(() => withinShare(work, exceeded));
}

/** Opens one budget for several pieces of work, each of them done `withinShare`. */
export function sharingBudget<T>(work: () => T): T {
  const outer = openBudget();
  try {
    return work();
  } finally {
    closeCounted(outer);
  }
}

/** Does a piece of work with what is left of the budget in force. */
export function withinShare<T>(work: () => T, exceeded: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof CostExceeded) return exceeded();
    throw cause;
  }
}
