import type { Expression } from "../../../artifact/expression.js";
import { spend } from "../../../base/cost.js";
import { BigNumber } from "../../../base/exact-number.js";
import type { Json } from "../../../base/json.js";
import { UNKNOWN } from "../../session/call.js";
import { Fault } from "../fault.js";
import type { Frame } from "../frame.js";
import { FORGOTTEN, type SlotKey, type SlotMap, type SlotValue, type Unreadable } from "../slot-reader.js";
import { type Outcome, SlotPart, type Value, ValueMap } from "../value.js";

/** A long text is compared with all that is known as names before it is looked up. */
export function spendOnKey(key: string): void {
  if (key.length >= 64) spend(key.length >> 6);
}

/** A value as the key of a map; null if it is of a kind that no key is of. No key equals a number that no double spells. */
export function keyOf(value: Value): SlotKey | null {
  if (value instanceof BigNumber) return Number.NaN;
  if (typeof value === "string") spendOnKey(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

/** Why a slot has no value. */
export function unreadable(
  why: Unreadable | typeof UNKNOWN | undefined,
  node: Expression,
  { slot, keys }: Pick<SlotPart, "slot" | "keys">,
): Fault {
  if (why === undefined) return new Fault("unset", node, slot, keys);
  if (why === UNKNOWN) return new Fault("awaited", node, slot, keys);
  return new Fault(why === FORGOTTEN ? "forgotten" : "lost", node, slot, keys);
}

function isUnreadable(value: SlotValue): value is Exclude<SlotValue, Json> {
  return value === undefined || typeof value === "symbol";
}

/** The value of a place in a slot, or why there is none. */
export function slotValue(value: SlotValue, node: Expression, place: Pick<SlotPart, "slot" | "keys">): Outcome {
  return isUnreadable(value) ? unreadable(value, node, place) : value;
}

/** A keyed slot below one more of its keys: an entry, if that is the last one. */
export function below(part: SlotPart, key: SlotKey, frame: Frame, node: Expression): Outcome {
  const { slot, depth } = part;
  const keys = [...part.keys, key];
  if (keys.length < depth) return new SlotPart(slot, depth, keys);
  return slotValue(frame.slots.entry(slot, keys), node, { slot, keys });
}

/** Whether a keyed slot, or the branch of one, has a key. */
export function hasKey(part: SlotPart, key: SlotKey, frame: Frame, node: Expression): boolean | Fault {
  const { slot, depth } = part;
  const keys = [...part.keys, key];
  const { slots } = frame;
  if (keys.length === depth) {
    const entry = slots.entry(slot, keys);
    if (!isUnreadable(entry)) return true;
    if (entry !== undefined) return unreadable(entry, node, { slot, keys });
    if (part.keys.length === 0) return false;
    const around = slots.hasBranch(slot, part.keys);
    return around === true ? false : unreadable(around === false ? undefined : around, node, part);
  }
  const isThere = slots.hasBranch(slot, keys);
  return typeof isThere === "boolean" ? isThere : unreadable(isThere, node, { slot, keys });
}

/** Whether a keyed slot, or the branch of one, has a key with a value that is not null. */
export function hasValue(part: SlotPart, key: SlotKey, frame: Frame, node: Expression): boolean | Fault {
  const isThere = hasKey(part, key, frame, node);
  if (isThere !== true || part.keys.length + 1 < part.depth) return isThere;
  return frame.slots.entry(part.slot, [...part.keys, key]) !== null;
}

/** `instanceof` alone does not narrow a readonly map. */
function isSlotMap(entry: Json | SlotMap): entry is SlotMap {
  return entry instanceof Map;
}

function isFlat(map: SlotMap): map is ReadonlyMap<SlotKey, Json> {
  return ![...map.values()].some(isSlotMap);
}

function valueMap(map: SlotMap): ValueMap {
  if (isFlat(map)) return new ValueMap(map);
  const entries = new Map<SlotKey, Value>();
  for (const [key, entry] of map) entries.set(key, isSlotMap(entry) ? valueMap(entry) : entry);
  return new ValueMap(entries);
}

/** A keyed slot as a map, a union as a list. A branch that no call has written is not set. */
function wholePart(part: SlotPart, frame: Frame, node: Expression): Outcome {
  const { slot, depth, keys } = part;
  const { slots } = frame;
  if (depth === 0) {
    const union = slots.union(slot);
    if (typeof union === "symbol") return unreadable(union, node, part);
    return union.isComplete ? union.value : new Fault("forgotten", node, slot, keys);
  }
  const branch = slots.branch(slot, keys);
  if (typeof branch === "symbol") return unreadable(branch, node, part);
  if (!branch.isComplete) return new Fault("forgotten", node, slot, keys);
  return branch.value.size === 0 && keys.length > 0 ? new Fault("unset", node, slot, keys) : valueMap(branch.value);
}

/** The outcome of a part with its slots read: for everything that does not look for one key. */
export function readWhole(outcome: Outcome, frame: Frame, node: Expression): Exclude<Outcome, SlotPart> {
  if (!(outcome instanceof SlotPart)) return outcome;
  const whole = wholePart(outcome, frame, node);
  return whole instanceof SlotPart ? new Fault("kind", node) : whole;
}
