import type { Json } from "../../base/json.js";
import type { Possible } from "../session/call.js";

/** A key of a keyed slot. Keys of different types differ: 1 is not "1". */
export type SlotKey = string | number | boolean;

/** What was written there is no longer known: an output was lost or rejected. */
export const LOST: unique symbol = Symbol("lost");

/** Not found in a slot that has forgotten something, so that it may have been there. */
export const FORGOTTEN: unique symbol = Symbol("forgotten");

/** Why a slot cannot be read; `UNKNOWN` of `../session/call.js` is an output that has not arrived. */
export type Unreadable = typeof LOST | typeof FORGOTTEN;

/** The value of a plain slot, or of one key of a keyed one; undefined if it is not set. */
export type SlotValue = Possible | Unreadable;

/** The entries of a keyed slot below some of its keys; with keys left, each is such a map again. */
export type SlotMap = ReadonlyMap<SlotKey, Json | SlotMap>;

/** A keyed slot below some of its keys, or a union; `isComplete` is false once anything in the slot was forgotten. */
export interface WholeSlot<T extends SlotMap | readonly Json[]> {
  readonly value: T;
  readonly isComplete: boolean;
}

/**
 * The slots of a session in one world: one way in which its unsettled calls may end. A reader answers the same question in the same
 * way each time, and an expression may read any slot in any order.
 */
export interface SlotReader {
  /** A plain slot. */
  read(slot: string): SlotValue;
  /** One entry of a keyed slot; there are as many keys as the slot is deep. */
  entry(slot: string, keys: readonly SlotKey[]): SlotValue;
  /** A keyed slot below fewer keys than it is deep; an empty map if nothing is there. */
  branch(slot: string, keys: readonly SlotKey[]): WholeSlot<SlotMap> | Exclude<SlotValue, Json | undefined>;
  /** Whether there is anything below fewer keys than a keyed slot is deep; one known entry is enough. */
  hasBranch(slot: string, keys: readonly SlotKey[]): boolean | Exclude<SlotValue, Json | undefined>;
  /** The values of a union, in the order of their arrival. */
  union(slot: string): WholeSlot<readonly Json[]> | Exclude<SlotValue, Json | undefined>;
  /** Whether a union has a value. */
  includes(slot: string, value: Json): boolean | Exclude<SlotValue, Json | undefined>;
  /** Whether the latest call that should have set this place was answered, and left it unset. For hints. */
  isLeftUnset(slot: string, keys: readonly SlotKey[]): boolean;
}
