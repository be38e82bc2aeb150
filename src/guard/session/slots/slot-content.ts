import { spend } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import {
  FORGOTTEN,
  LOST,
  type SlotKey,
  type SlotValue,
  type Unreadable,
  type WholeSlot,
} from "../../expression/slot-reader.js";
import { UNKNOWN } from "../call.js";
import { AwaitedOutputs } from "./awaited-outputs.js";
import { SlotEntries, type SlotEntry } from "./slot-entries.js";
import { textOfKeys } from "./slot-key.js";
import { nestedMap, type SlotMap } from "./slot-map.js";

/** A value to be bound: under its keys, or in a union, where it has none. The text tells it from all others. */
export interface Binding {
  readonly text: string;
  readonly keys: readonly SlotKey[];
  readonly value: Json | typeof UNKNOWN;
}

/** What building a value from all entries costs, for each of them. */
const LISTING_COST = 32;

/** Why a whole slot cannot be read. */
type Unread = Exclude<SlotValue, Json | undefined>;

/** What can be stored of a keyed slot or a union. */
export interface StoredContent {
  readonly entries: readonly SlotEntry[];
  readonly isUnknown: boolean;
  readonly hasForgotten: boolean;
  readonly leftUnset: string | null;
  /** The serial number of the latest change, and how many values were bound. */
  readonly serial: number;
  readonly arrivals: number;
  /** Calls whose output may still change any key, each with the serial number of its commit. */
  readonly awaiting: ReadonlyMap<string, number>;
  /** By the text of keys, when they were cleared since the first of those calls. */
  readonly cleared: ReadonlyMap<string, number>;
}

/**
 * The committed content of a keyed slot or a union. Binding one value takes constant time, however many there are. Calls that
 * commit when they are sent, and whose output decides which keys they write, are awaited: what was bound before them may change
 * still, what was bound after them stays.
 */
export class SlotContent {
  private entries: SlotEntries;
  /** Outputs were lost: whatever was not bound since is not known. */
  private isUnknown = false;
  private hasForgotten = false;
  /** The latest place that an output should have bound, and did not. */
  private leftUnset: string | null = null;
  private serial = 0;
  private arrivals = 0;
  private awaited = new AwaitedOutputs();

  constructor(
    private readonly depth: number,
    private readonly limit: number,
    stored?: StoredContent,
  ) {
    this.entries = new SlotEntries(depth);
    if (stored === undefined) return;
    for (const entry of stored.entries) this.entries.put(entry);
    this.isUnknown = stored.isUnknown;
    this.hasForgotten = stored.hasForgotten;
    this.leftUnset = stored.leftUnset;
    this.serial = stored.serial;
    this.arrivals = stored.arrivals;
    this.awaited = new AwaitedOutputs(stored.awaiting, stored.cleared);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Whether what is not found was never there. */
  get isComplete(): boolean {
    return !this.isUnknown && !this.hasForgotten;
  }

  /** Whether the slot forgets something once so many more values are bound. */
  forgetsWith(more: number): boolean {
    return this.entries.size + more > this.limit;
  }

  has(text: string): boolean {
    return this.entries.get(text) !== undefined;
  }

  /** Shares the entries until one of both changes. */
  copy(): SlotContent {
    const copy = new SlotContent(this.depth, this.limit);
    copy.entries = this.entries.share();
    copy.isUnknown = this.isUnknown;
    copy.hasForgotten = this.hasForgotten;
    copy.leftUnset = this.leftUnset;
    copy.serial = this.serial;
    copy.arrivals = this.arrivals;
    copy.awaited = new AwaitedOutputs(this.awaited.calls, this.awaited.cleared);
    return copy;
  }

  stored(): StoredContent {
    const { isUnknown, hasForgotten, leftUnset, serial, arrivals } = this;
    const { calls: awaiting, cleared } = this.awaited;
    return { entries: [...this.entries], isUnknown, hasForgotten, leftUnset, serial, arrivals, awaiting, cleared };
  }

  /** The value at a place: of all keys, or of a value of a union. */
  read(text: string, keys: readonly SlotKey[]): SlotValue {
    const entry = this.entries.get(text);
    const { latest } = this.awaited;
    if (entry !== undefined) return latest > entry.at ? UNKNOWN : entry.value;
    return this.notFound(text, keys);
  }

  /** Whether there is anything below some keys. */
  hasBelow(keys: readonly SlotKey[]): boolean | Unread {
    const text = textOfKeys(keys);
    let isOpen = false;
    for (const entry of this.entries.below(text, keys.length)) {
      spend(LISTING_COST);
      if (isKnown(entry) && entry.at >= this.awaited.latest) return true;
      isOpen = true;
    }
    return isOpen ? UNKNOWN : (this.notFound(text, keys) ?? false);
  }

  private notFound(text: string, keys: readonly SlotKey[]): Unread | undefined {
    if (this.awaited.isEmpty) return this.absent();
    // An output may bind what is not there. If the place was cleared since, it may only be lost with the output.
    return this.isUnknown && this.awaited.clearedAt(text, keys) > this.awaited.latest ? LOST : UNKNOWN;
  }

  /** What reading a place gives that is cleared next. */
  afterClearing(): SlotValue {
    return this.awaited.isEmpty || this.isUnknown ? this.absent() : UNKNOWN;
  }

  /** Everything below some keys. */
  branch(keys: readonly SlotKey[]): WholeSlot<SlotMap> | Unread {
    const entries = this.below(keys);
    if (!Array.isArray(entries)) return entries;
    return { value: nestedMap(entries, keys.length), isComplete: !this.hasForgotten };
  }

  /** The values of a union, in the order in which they came first. */
  union(): WholeSlot<readonly Json[]> | Unread {
    const entries = this.below([]);
    if (!Array.isArray(entries)) return entries;
    const sorted = [...entries].sort((a, b) => a.since - b.since);
    return { value: sorted.map(({ value }) => value), isComplete: !this.hasForgotten };
  }

  /** A copy for people: the values of a union, or the entries of a keyed slot. What is awaited is left out. */
  shown(): Json {
    const known = [...this.entries].filter(isKnown).filter(({ at }) => at >= this.awaited.latest);
    if (this.depth === 0) return known.sort((a, b) => a.since - b.since).map(({ value }) => structuredClone(value));
    return known.map(({ keys, value }) => ({
      key: this.depth === 1 ? (keys[0] ?? null) : [...keys],
      value: structuredClone(value),
    }));
  }

  isLeftUnset(text: string): boolean {
    return this.leftUnset === text;
  }

  /** Binds a value; the call is the one whose output it waits for. */
  bind(binding: Binding, openCall: string | null): void {
    this.serial += 1;
    this.put(binding, openCall, this.serial);
  }

  /** The awaited value of a call arrived, or never will (undefined); nothing happens if the place was bound anew since. */
  arrive(text: string, callId: string, value: Json | undefined): void {
    const entry = this.entries.get(text);
    if (entry?.openCall !== callId) return;
    if (value !== undefined) {
      this.entries.replace({ ...entry, value, openCall: null });
      return;
    }
    // As of its commit: an output that is awaited since a later one may bind the place.
    this.entries.delete(text);
    this.mark(text, entry.at);
    this.leftUnset = text;
  }

  /** An output did not bind the place that it should have. */
  unset(text: string, keys: readonly SlotKey[]): void {
    this.clear(keys);
    this.leftUnset = text;
  }

  /** Clears everything below some keys; without keys the slot is as new. */
  clear(keys: readonly SlotKey[]): void {
    this.serial += 1;
    if (keys.length > 0) {
      this.entries.deleteBelow(textOfKeys(keys), keys.length);
      this.mark(textOfKeys(keys), this.serial);
      return;
    }
    this.empty();
    this.isUnknown = false;
    this.hasForgotten = false;
  }

  /** An output was lost that could have changed any key. */
  lose(): void {
    this.serial += 1;
    this.empty();
    this.isUnknown = true;
  }

  /** A call was committed whose output decides which keys it changes. */
  await(callId: string): void {
    this.serial += 1;
    this.awaited.calls.set(callId, this.serial);
  }

  /**
   * The output of such a call arrived: it clears and binds what was not changed since the call was committed. Null if it was lost.
   */
  resolve(callId: string, change: { readonly clears: Keys; readonly binds: readonly Binding[] } | null): void {
    const at = this.awaited.take(callId);
    // Everything that it could have changed was cleared or lost since.
    if (at === undefined) return;
    if (change === null) this.loseUpTo(at);
    else {
      for (const keys of change.clears) this.clearUpTo(keys, at);
      for (const binding of change.binds) {
        const { text, keys } = binding;
        if ((this.entries.get(text)?.at ?? this.awaited.clearedAt(text, keys)) <= at) this.put(binding, null, at);
      }
    }
    this.awaited.dropUpTo(0);
  }

  private absent(): Unreadable | undefined {
    if (this.isUnknown) return LOST;
    return this.hasForgotten ? FORGOTTEN : undefined;
  }

  /** Makes a value the newest one; `at` is when its call was committed. */
  private put({ text, keys, value }: Binding, openCall: string | null, at: number): void {
    this.arrivals += 1;
    if (this.leftUnset === text) this.leftUnset = null;
    const since = this.entries.get(text)?.since ?? this.arrivals;
    this.entries.put({ text, keys, value, openCall, at, since });
    while (this.entries.size > this.limit) this.forget();
  }

  private below(keys: readonly SlotKey[]): KnownEntry[] | Unread {
    // What is lost stays so, whatever is bound to single keys.
    if (this.isUnknown) return LOST;
    if (!this.awaited.isEmpty) return UNKNOWN;
    const known: KnownEntry[] = [];
    for (const entry of this.entries.below(textOfKeys(keys), keys.length)) {
      spend(LISTING_COST);
      if (!isKnown(entry)) return UNKNOWN;
      known.push(entry);
    }
    return known;
  }

  private forget(): void {
    const oldest = this.entries.deleteOldest();
    this.hasForgotten = true;
    if (oldest !== undefined) this.mark(oldest.text, oldest.at);
  }

  private empty(): void {
    this.entries = new SlotEntries(this.depth);
    this.leftUnset = null;
    // They were committed before.
    this.awaited = new AwaitedOutputs();
  }

  /** Remembers what an awaited output must not bind again; too much to remember is as if that output were lost. */
  private mark(text: string, at: number): void {
    if (this.awaited.mark(text, at) > this.limit) this.loseUpTo(this.awaited.latest);
  }

  /** Loses what was bound up to a change. */
  private loseUpTo(at: number): void {
    this.isUnknown = true;
    const early = [...this.entries].filter((entry) => entry.at <= at);
    for (const { text } of early) this.entries.delete(text);
    this.awaited.dropUpTo(at);
  }

  private clearUpTo(keys: readonly SlotKey[], at: number): void {
    const early = [...this.entries.below(textOfKeys(keys), keys.length)].filter((entry) => entry.at <= at);
    for (const { text } of early) this.entries.delete(text);
    this.mark(textOfKeys(keys), at);
  }
}

type Keys = readonly (readonly SlotKey[])[];
type KnownEntry = SlotEntry & { readonly value: Json };

function isKnown(entry: SlotEntry): entry is KnownEntry {
  return entry.value !== UNKNOWN;
}
