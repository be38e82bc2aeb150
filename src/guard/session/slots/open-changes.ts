import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { CollectionEffects } from "../../program/tool-effects.js";
import { type Call, type Possible, UNKNOWN } from "../call.js";
import { bindChange, isWild, knownPlace, needsOutput, unbindChange, unbindNeedsOutput } from "./slot-changes.js";
import type { SlotContent } from "./slot-content.js";
import { textOfKeys } from "./slot-key.js";

/** How an open call may end, if it happens: its output may be rejected, and then it unbinds and binds nothing of its arguments. */
export type Mode = "committed" | "rejected";

/** A place is unbound: what reading it gives depends on the slot, unless all of that was cleared. */
export const CLEARED: unique symbol = Symbol("cleared");

/** What an open call leaves at a place; null if it does not touch it. */
export type Left = { readonly value: Possible | typeof CLEARED } | null;

/** What one open call may do to one keyed slot or union. */
export interface OpenChange {
  readonly call: Call;
  readonly effect: CollectionEffects;
  /** The texts of the keys that it clears; "" for the whole slot. */
  readonly clears: ReadonlySet<string>;
  /** By the text of the place. */
  readonly binds: ReadonlyMap<string, Possible>;
  /** It may change any place. */
  readonly isWild: boolean;
  /** The arguments lack a key, as only a guard that blocks nothing lets them: then all of the slot is lost. */
  readonly isLost: boolean;
}

function bindsOf({ binds }: CollectionEffects, args: Json): { readonly known: Map<string, Possible>; isLost: boolean } {
  const known = new Map<string, Possible>();
  let isLost = false;
  for (const bind of binds) {
    if (needsOutput(bind)) {
      const place = knownPlace(bind, args);
      if (place !== null) known.set(place.text, UNKNOWN);
      continue;
    }
    const change = bindChange(bind, { args, output: undefined });
    if (change.kind === "bind") for (const { text, value } of change.bindings) known.set(text, value);
    else if (change.kind === "unset") known.set(change.place.text, undefined);
    else isLost = true;
  }
  return { known, isLost };
}

function changeOf(call: Call, effect: CollectionEffects): OpenChange {
  const { args } = call;
  const bound = bindsOf(effect, args);
  const clears = new Set<string>();
  let { isLost } = bound;
  for (const unbind of effect.unbinds) {
    const change = unbindChange(unbind, { args, output: undefined });
    if (change.kind === "clear") clears.add(textOfKeys(change.keys));
    else if (!unbindNeedsOutput(unbind)) isLost = true;
  }
  return { call, effect, clears, binds: bound.known, isWild: isLost || isWild(effect, args), isLost };
}

function addTo(calls: Map<string, Set<OpenChange>>, text: string, change: OpenChange): void {
  const known = calls.get(text);
  if (known === undefined) calls.set(text, new Set([change]));
  else known.add(change);
}

function deleteFrom(calls: Map<string, Set<OpenChange>>, text: string, change: OpenChange): void {
  const known = calls.get(text);
  known?.delete(change);
  if (known?.size === 0) calls.delete(text);
}

/** What the open calls may do to one keyed slot or union; the calls that touch a place are found without looking at the others. */
export class OpenChanges {
  private readonly byCall = new Map<Call, OpenChange>();
  private readonly binding = new Map<string, Set<OpenChange>>();
  private readonly clearing = new Map<string, Set<OpenChange>>();
  private readonly wild = new Set<OpenChange>();

  get size(): number {
    return this.byCall.size;
  }

  get clearsWhole(): boolean {
    return this.clearing.has("");
  }

  /** Whether a call may lose the slot, so that what is read there hangs on what comes after it. */
  get mayLose(): boolean {
    if (this.wild.size === 0) return false;
    return this.clearing.size > 0 || [...this.wild].some(({ isLost }) => isLost);
  }

  of(call: Call): OpenChange | undefined {
    return this.byCall.get(call);
  }

  /** In the order of their reservations. */
  all(): readonly OpenChange[] {
    return [...this.byCall.values()];
  }

  add(call: Call, effect: CollectionEffects): void {
    const change = changeOf(call, effect);
    this.byCall.set(call, change);
    for (const text of change.binds.keys()) addTo(this.binding, text, change);
    for (const text of change.clears) addTo(this.clearing, text, change);
    if (change.isWild) this.wild.add(change);
  }

  delete(call: Call): void {
    const change = this.byCall.get(call);
    if (change === undefined) return;
    this.byCall.delete(call);
    for (const text of change.binds.keys()) deleteFrom(this.binding, text, change);
    for (const text of change.clears) deleteFrom(this.clearing, text, change);
    this.wild.delete(change);
  }

  copy(twinOf: (call: Call) => Call): OpenChanges {
    const copy = new OpenChanges();
    for (const { call, effect } of this.byCall.values()) copy.add(twinOf(call), effect);
    return copy;
  }

  /** The calls that may change a place, in the order of their reservations. */
  touching(text: string, keys: readonly SlotKey[]): readonly OpenChange[] {
    const found = new Set<OpenChange>([...(this.binding.get(text) ?? []), ...this.wild]);
    for (let length = 0; length <= keys.length; length++) {
      const above = length === keys.length ? text : textOfKeys(keys.slice(0, length));
      for (const change of this.clearing.get(above) ?? []) found.add(change);
    }
    if (this.clearing.has("")) for (const change of this.clearing.get("") ?? []) found.add(change);
    return found.size <= 1 ? [...found] : this.all().filter((change) => found.has(change));
  }

  /** Whether the slot may forget something when these calls are committed. */
  mayForget(content: SlotContent): boolean {
    if (!content.forgetsWith(this.binding.size)) return false;
    let added = 0;
    for (const text of this.binding.keys()) if (!content.has(text)) added += 1;
    return content.forgetsWith(added);
  }
}

/** Whether a call clears all of the slot before it binds anything: what was there before makes no difference. */
export function clearsAll({ clears }: OpenChange): boolean {
  return clears.has("");
}

function isCleared({ clears }: OpenChange, text: string, keys: readonly SlotKey[]): boolean {
  if (clears.size === 0) return false;
  if (clears.has("") || clears.has(text)) return true;
  for (let length = 1; length < keys.length; length++) {
    if (clears.has(textOfKeys(keys.slice(0, length)))) return true;
  }
  return false;
}

/** Whether a call changes the slot even if its output is rejected. */
export function changesIfRejected({ clears, binds, isWild }: OpenChange): boolean {
  if (clears.size > 0 || isWild) return true;
  for (const value of binds.values()) if (value === UNKNOWN) return true;
  return false;
}

/** What a call leaves at a place if it ends so. */
export function leftAt(change: OpenChange, mode: Mode, text: string, keys: readonly SlotKey[]): Left {
  // Whether an output is rejected is as little known as what it binds.
  const bound = change.binds.get(text);
  if (change.binds.has(text) && (mode === "committed" || bound === UNKNOWN)) return { value: bound };
  if (change.isWild) return { value: UNKNOWN };
  if (!isCleared(change, text, keys)) return null;
  return { value: change.clears.has("") ? undefined : CLEARED };
}
