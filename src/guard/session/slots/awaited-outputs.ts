import type { SlotKey } from "../../expression/slot-reader.js";
import { textOfKeys } from "./slot-key.js";

/**
 * Calls that were committed when they were sent, and whose output decides which keys of a slot they change. What they change
 * counts from their commit: it must not replace what was bound, cleared or forgotten after that.
 */
export class AwaitedOutputs {
  /** By call, the serial number of its commit. */
  readonly calls: Map<string, number>;
  /** By the text of keys, when they were cleared since the first of those commits. */
  readonly cleared: Map<string, number>;

  constructor(calls?: ReadonlyMap<string, number>, cleared?: ReadonlyMap<string, number>) {
    this.calls = new Map(calls);
    this.cleared = new Map(cleared);
  }

  get isEmpty(): boolean {
    return this.calls.size === 0;
  }

  /** The latest of the commits; 0 if no output is awaited. */
  get latest(): number {
    let latest = 0;
    for (const at of this.calls.values()) latest = Math.max(latest, at);
    return latest;
  }

  /** Ends waiting for a call; undefined if nothing that it could change is left. */
  take(callId: string): number | undefined {
    const at = this.calls.get(callId);
    this.calls.delete(callId);
    return at;
  }

  /** Remembers that keys were cleared. Returns how many such keys are remembered. */
  mark(text: string, at: number): number {
    if (!this.isEmpty) this.cleared.set(text, Math.max(at, this.cleared.get(text) ?? 0));
    return this.cleared.size;
  }

  /** When a place was cleared last, alone or with others. */
  clearedAt(text: string, keys: readonly SlotKey[]): number {
    let latest = this.cleared.get(text) ?? 0;
    for (let length = 1; length < keys.length; length++) {
      latest = Math.max(latest, this.cleared.get(textOfKeys(keys.slice(0, length))) ?? 0);
    }
    return latest;
  }

  /** Drops the calls up to a commit, and what only they need. */
  dropUpTo(at: number): void {
    for (const [call, committed] of this.calls) if (committed <= at) this.calls.delete(call);
    if (this.isEmpty) this.cleared.clear();
  }
}
