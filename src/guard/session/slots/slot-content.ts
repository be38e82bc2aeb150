import { spend } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import { FORGOTTEN, LOST, type SlotKey, type SlotValue, type WholeSlot } from "../../expression/slot-reader.js";
import { UNKNOWN } from "../call.js";
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
}

/**
 * The content of a keyed slot or a union. Binding one value takes constant time, however many there are. Where an output that has
 * not arrived decides which keys a call writes, what was bound before that call may change still, and what was bound after it stays.
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
  /** The serial number of the latest call whose output may change any key; 0 if there is none. */
  private awaitedAt = 0;

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
  }

  get size(): number {
    return this.entries.size;
  }

  /** Whether what is not found was never there. */
  get isComplete(): boolean {
    return !this.isUnknown && !this.hasForgotten;
  }

  /** Whether an output that has not arrived may change any key. */
  get isAwaited(): boolean {
    return this.awaitedAt > 0;
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
    copy.awaitedAt = this.awaitedAt;
    return copy;
  }

  stored(): StoredContent {
    const { isUnknown, hasForgotten, leftUnset, serial, arrivals } = this;
    return { entries: [...this.entries], isUnknown, hasForgotten, leftUnset, serial, arrivals };
  }

  /** The value at a place: of all keys, or of a value of a union. */
  read(text: string): SlotValue {
    const entry = this.entries.get(text);
    if (entry !== undefined) return this.awaitedAt > entry.at ? UNKNOWN : entry.value;
    return this.notFound();
  }

  /** Whether there is anything below some keys. */
  hasBelow(keys: readonly SlotKey[]): boolean | Unread {
    let isOpen = false;
    for (const entry of this.entries.below(textOfKeys(keys), keys.length)) {
      spend(LISTING_COST);
      if (isKnown(entry) && entry.at >= this.awaitedAt) return true;
      isOpen = true;
    }
    return isOpen ? UNKNOWN : (this.notFound() ?? false);
  }

  /** What reading a place gives where nothing is bound: an output that is awaited may bind it, or lose it. */
  notFound(): Unread | undefined {
    if (this.isAwaited) return UNKNOWN;
    if (this.isUnknown) return LOST;
    return this.hasForgotten ? FORGOTTEN : undefined;
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
    const known = [...this.entries].filter(isKnown).filter(({ at }) => at >= this.awaitedAt);
    if (this.depth === 0) return known.sort((a, b) => a.since - b.since).map(({ value }) => structuredClone(value));
    return known.map(({ keys, value }) => ({
      key: this.depth === 1 ? (keys[0] ?? null) : [...keys],
      value: structuredClone(value),
    }));
  }

  isLeftUnset(text: string): boolean {
    return this.leftUnset === text;
  }

  /** Binds a value, which becomes the newest one; beyond the limit the oldest is forgotten. */
  bind({ text, keys, value }: Binding): void {
    this.serial += 1;
    this.arrivals += 1;
    if (this.leftUnset === text) this.leftUnset = null;
    const since = this.entries.get(text)?.since ?? this.arrivals;
    this.entries.put({ text, keys, value, at: this.serial, since });
    if (this.entries.size <= this.limit) return;
    this.entries.deleteOldest();
    this.hasForgotten = true;
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
  await(): void {
    this.serial += 1;
    this.awaitedAt = this.serial;
  }

  private below(keys: readonly SlotKey[]): KnownEntry[] | Unread {
    // What is lost or forgotten stays so, whatever an output may bind.
    if (this.isUnknown) return LOST;
    const awaited = this.hasForgotten ? FORGOTTEN : UNKNOWN;
    if (this.isAwaited) return awaited;
    const known: KnownEntry[] = [];
    for (const entry of this.entries.below(textOfKeys(keys), keys.length)) {
      spend(LISTING_COST);
      if (!isKnown(entry)) return awaited;
      known.push(entry);
    }
    return known;
  }

  private empty(): void {
    this.entries = new SlotEntries(this.depth);
    this.leftUnset = null;
    // Calls that were committed before change nothing that is left.
    this.awaitedAt = 0;
  }
}

type KnownEntry = SlotEntry & { readonly value: Json };

function isKnown(entry: SlotEntry): entry is KnownEntry {
  return entry.value !== UNKNOWN;
}
