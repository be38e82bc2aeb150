import type { Json } from "../../../src/base/json.js";
import type { Completeness, Key, KeyedEntry, KeyedSlot, UnionSlot } from "../../reference/expression/slots.js";
import { isSame } from "./json.js";

/** A keyed slot or a union while the calls of a session are read, in the order in which they ended. */
export interface SlotState {
  /** A value under keys; the latest binding comes last. */
  bind(keys: readonly Key[], held: KeyedEntry["held"]): void;
  /** One more value of a union. */
  collect(value: Json): void;
  /** Takes away everything under the keys; without keys all of it. */
  unbind(keys: readonly Key[]): void;
  /** What was bound before is no longer known, and other keys may have been. */
  lose(): void;
  /** An output that has not arrived decides what becomes of anything that was bound before. */
  await(): void;
}

const AWAITED: KeyedEntry["held"] = { kind: "awaited" };

/** What is said of a slot that misses something, and of one whose content an output decides: that brings nothing back. */
function completenessOf(misses: boolean, isAwaited: boolean): Completeness {
  if (isAwaited) return misses ? "lost" : "awaited";
  return misses ? "incomplete" : "complete";
}

function isUnder(keys: readonly Key[], outer: readonly Key[]): boolean {
  return outer.every((key, at) => key === keys[at]);
}

/** A keyed slot that holds at most so many values. */
export class KeyedState implements SlotState {
  private entries: readonly KeyedEntry[] = [];
  /** Something was forgotten or lost. */
  private misses = false;
  private isAwaited = false;

  constructor(
    private readonly depth: number,
    private readonly limit: number,
  ) {}

  bind(keys: readonly Key[], held: KeyedEntry["held"]): void {
    this.entries = [...this.entries.filter((entry) => !isUnder(entry.keys, keys)), { keys, held }];
    this.forget();
  }

  /** Beyond the limit the oldest is forgotten; an awaited entry counts, because it may come. */
  private forget(): void {
    if (this.entries.length <= this.limit) return;
    this.entries = this.entries.slice(this.entries.length - this.limit);
    this.misses = true;
  }

  collect(): void {
    throw new Error("a keyed slot is no union");
  }

  unbind(keys: readonly Key[]): void {
    this.entries = this.entries.filter((entry) => !isUnder(entry.keys, keys));
    // What was forgotten or lost would be gone now anyway.
    if (keys.length > 0) return;
    this.misses = false;
    this.isAwaited = false;
  }

  lose(): void {
    this.entries = [];
    this.misses = true;
    this.isAwaited = false;
  }

  await(): void {
    this.entries = this.entries.map((entry) => ({ ...entry, held: AWAITED }));
    this.isAwaited = true;
  }

  slot(): KeyedSlot {
    return {
      kind: "keyed",
      depth: this.depth,
      entries: this.entries,
      completeness: completenessOf(this.misses, this.isAwaited),
    };
  }
}

/** A union that holds at most so many values. */
export class UnionState implements SlotState {
  /** In the order of arrival, each with the time of its latest binding. */
  private values: readonly { readonly value: Json; readonly at: number }[] = [];
  private misses = false;
  /** When an output was awaited last: what came before may be lost with it. */
  private awaitedAt = 0;
  private time = 0;

  constructor(private readonly limit: number) {}

  bind(): void {
    throw new Error("a union is no keyed slot");
  }

  collect(value: Json): void {
    this.time += 1;
    const at = this.time;
    const isThere = this.values.some((own) => isSame(own.value, value));
    const again = this.values.map((own) => (isSame(own.value, value) ? { ...own, at } : own));
    this.values = isThere ? again : [...again, { value, at }];
    if (this.values.length <= this.limit) return;
    const oldest = Math.min(...this.values.map((own) => own.at));
    this.values = this.values.filter((own) => own.at !== oldest);
    this.misses = true;
  }

  unbind(): void {
    this.values = [];
    this.misses = false;
    this.awaitedAt = 0;
  }

  lose(): void {
    this.values = [];
    this.misses = true;
    this.awaitedAt = 0;
  }

  await(): void {
    this.time += 1;
    this.awaitedAt = this.time;
  }

  slot(): UnionSlot {
    const { misses, awaitedAt } = this;
    const known = this.values.filter(({ at }) => at >= awaitedAt).map(({ value }) => value);
    return { kind: "union", values: known, completeness: completenessOf(misses, awaitedAt > 0) };
  }
}
