import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { UNKNOWN } from "../call.js";
import { textOfKeys } from "./slot-key.js";

/** A value that is bound in a keyed slot or a union. */
export interface SlotEntry {
  readonly text: string;
  readonly keys: readonly SlotKey[];
  readonly value: Json | typeof UNKNOWN;
  /** The serial number of the commit that bound it. */
  readonly at: number;
  /** The number of its first arrival since it was not there. */
  readonly since: number;
}

/** An entry and its neighbours in the order of their latest bindings. */
interface Link {
  entry: SlotEntry;
  before: Link | null;
  after: Link | null;
}

/**
 * The entries of a slot in the order of their latest bindings, and by the keys that they are below. They are linked, because a
 * map finds its oldest entry only behind all that were deleted before it: at 10,000 entries that took 25 µs a call.
 */
export class SlotEntries implements Iterable<SlotEntry> {
  private byText = new Map<string, Link>();
  private first: Link | null = null;
  private last: Link | null = null;
  /** For fewer keys than the slot is deep, the texts of the entries below them. */
  private branches = new Map<string, Set<string>>();
  /** Another object has the same entries: they are copied before a change. */
  private isShared = false;

  constructor(private readonly depth: number) {}

  get size(): number {
    return this.byText.size;
  }

  get(text: string): SlotEntry | undefined {
    return this.byText.get(text)?.entry;
  }

  *[Symbol.iterator](): Generator<SlotEntry> {
    for (let link = this.first; link !== null; link = link.after) yield link.entry;
  }

  /** The entries below some keys. */
  *below(text: string, length: number): Generator<SlotEntry> {
    if (length === 0) yield* this;
    else if (length === this.depth) {
      const only = this.get(text);
      if (only !== undefined) yield only;
    } else {
      for (const leaf of this.branches.get(text) ?? []) {
        const entry = this.get(leaf);
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** Adds an entry as the newest one. */
  put(entry: SlotEntry): void {
    this.delete(entry.text);
    this.own();
    this.append(entry);
    for (let length = 1; length < this.depth; length++) {
      const text = textOfKeys(entry.keys.slice(0, length));
      const leaves = this.branches.get(text);
      if (leaves === undefined) this.branches.set(text, new Set([entry.text]));
      else leaves.add(entry.text);
    }
  }

  delete(text: string): void {
    if (!this.byText.has(text)) return;
    this.own();
    const link = this.byText.get(text);
    if (link === undefined) return;
    this.byText.delete(text);
    if (link.before === null) this.first = link.after;
    else link.before.after = link.after;
    if (link.after === null) this.last = link.before;
    else link.after.before = link.before;
    for (let length = 1; length < this.depth; length++) {
      const branch = textOfKeys(link.entry.keys.slice(0, length));
      const leaves = this.branches.get(branch);
      leaves?.delete(text);
      if (leaves?.size === 0) this.branches.delete(branch);
    }
  }

  deleteBelow(text: string, length: number): void {
    for (const entry of [...this.below(text, length)]) this.delete(entry.text);
  }

  deleteOldest(): SlotEntry | undefined {
    const oldest = this.first?.entry;
    if (oldest !== undefined) this.delete(oldest.text);
    return oldest;
  }

  /** Another object with the same entries; each of both copies them when it changes first. */
  share(): SlotEntries {
    const shared = new SlotEntries(this.depth);
    shared.byText = this.byText;
    shared.first = this.first;
    shared.last = this.last;
    shared.branches = this.branches;
    shared.isShared = true;
    this.isShared = true;
    return shared;
  }

  private append(entry: SlotEntry): void {
    const link: Link = { entry, before: this.last, after: null };
    if (this.last === null) this.first = link;
    else this.last.after = link;
    this.last = link;
    this.byText.set(entry.text, link);
  }

  private own(): void {
    if (!this.isShared) return;
    const entries = [...this];
    this.byText = new Map();
    this.first = null;
    this.last = null;
    for (const entry of entries) this.append(entry);
    this.branches = new Map(Array.from(this.branches, ([text, leaves]) => [text, new Set(leaves)]));
    this.isShared = false;
  }
}
