import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { UNKNOWN } from "../call.js";
import { textOfKeys } from "./slot-key.js";

/** A value that is bound in a keyed slot or a union. */
export interface SlotEntry {
  readonly text: string;
  readonly keys: readonly SlotKey[];
  readonly value: Json | typeof UNKNOWN;
  /** The call whose output is awaited. */
  readonly openCall: string | null;
  /** The serial number of the commit that bound it. */
  readonly at: number;
  /** The number of its first arrival since it was not there. */
  readonly since: number;
}

/** The entries of a slot in the order of their latest bindings, and by the keys that they are below. */
export class SlotEntries implements Iterable<SlotEntry> {
  private byText = new Map<string, SlotEntry>();
  /** For fewer keys than the slot is deep, the texts of the entries below them. */
  private branches = new Map<string, Set<string>>();
  /** Another object has the same maps: they are copied before a change. */
  private isShared = false;

  constructor(private readonly depth: number) {}

  get size(): number {
    return this.byText.size;
  }

  get oldest(): SlotEntry | undefined {
    return this.byText.values().next().value;
  }

  get(text: string): SlotEntry | undefined {
    return this.byText.get(text);
  }

  [Symbol.iterator](): Iterator<SlotEntry> {
    return this.byText.values();
  }

  /** The entries below some keys. */
  *below(text: string, length: number): Generator<SlotEntry> {
    if (length === 0) yield* this.byText.values();
    else if (length === this.depth) {
      const only = this.byText.get(text);
      if (only !== undefined) yield only;
    } else {
      for (const leaf of this.branches.get(text) ?? []) {
        const entry = this.byText.get(leaf);
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** Adds an entry as the newest one. */
  put(entry: SlotEntry): void {
    this.delete(entry.text);
    this.own();
    this.byText.set(entry.text, entry);
    for (let length = 1; length < this.depth; length++) {
      const text = textOfKeys(entry.keys.slice(0, length));
      const leaves = this.branches.get(text);
      if (leaves === undefined) this.branches.set(text, new Set([entry.text]));
      else leaves.add(entry.text);
    }
  }

  /** Changes an entry in its place. */
  replace(entry: SlotEntry): void {
    this.own();
    this.byText.set(entry.text, entry);
  }

  delete(text: string): void {
    const entry = this.byText.get(text);
    if (entry === undefined) return;
    this.own();
    this.byText.delete(text);
    for (let length = 1; length < this.depth; length++) {
      const branch = textOfKeys(entry.keys.slice(0, length));
      const leaves = this.branches.get(branch);
      leaves?.delete(text);
      if (leaves?.size === 0) this.branches.delete(branch);
    }
  }

  deleteBelow(text: string, length: number): void {
    for (const entry of [...this.below(text, length)]) this.delete(entry.text);
  }

  deleteOldest(): SlotEntry | undefined {
    const { oldest } = this;
    if (oldest !== undefined) this.delete(oldest.text);
    return oldest;
  }

  /** Another object with the same entries; each of both copies them when it changes first. */
  share(): SlotEntries {
    const shared = new SlotEntries(this.depth);
    shared.byText = this.byText;
    shared.branches = this.branches;
    shared.isShared = true;
    this.isShared = true;
    return shared;
  }

  private own(): void {
    if (!this.isShared) return;
    this.byText = new Map(this.byText);
    this.branches = new Map(Array.from(this.branches, ([text, leaves]) => [text, new Set(leaves)]));
    this.isShared = false;
  }
}
