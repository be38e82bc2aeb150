import { spend } from "../../../base/cost.js";
import { equalValues } from "../equal.js";
import { Fault, worse } from "../fault.js";
import type { Frame } from "../frame.js";
import { FORGOTTEN } from "../slot-reader.js";
import { isList, isPlainObject, kindOf, type Outcome, SlotPart, type Value, ValueMap } from "../value.js";
import type { BinaryNode, Combine } from "./operands.js";
import { hasKey, keyOf, readWhole, unreadable } from "./slot-part.js";

/** `in`: an item of a list, or a key of a map. */
export function membership(node: BinaryNode): Combine {
  return (a, b, frame) => {
    const item = readWhole(a, frame, node.left);
    if (item instanceof Fault) return b instanceof Fault ? worse(item, b) : item;
    if (b instanceof Fault) return b;
    if (b instanceof SlotPart) return inSlot(item, b, frame, node);
    return inValue(item, b, node);
  };
}

function inValue(item: Value, container: Value, node: BinaryNode): Outcome {
  if (isList(container)) {
    spend(3 * container.length);
    return container.some((candidate) => equalValues(item, candidate));
  }
  if (!isPlainObject(container) && !(container instanceof ValueMap))
    return new Fault("kind", node.right, kindOf(container));
  const key = keyOf(item);
  if (key === null) return new Fault("kind", node.left, kindOf(item));
  if (container instanceof ValueMap) return container.entries.has(key);
  return typeof key === "string" && Object.hasOwn(container, key);
}

function inSlot(item: Value, part: SlotPart, frame: Frame, node: BinaryNode): Outcome {
  if (part.depth > 0) {
    const key = keyOf(item);
    return key === null ? new Fault("kind", node.left, kindOf(item)) : hasKey(part, key, frame, node.right);
  }
  // A list may hold what is not JSON, which no slot has.
  if (typeof item === "object" && item !== null && !isPlainObject(item)) return inUnion(item, part, frame, node);
  const found = frame.slots.includes(part.slot, item);
  return typeof found === "symbol" ? unreadable(found, node.right, part) : found;
}

function inUnion(item: Value, part: SlotPart, frame: Frame, node: BinaryNode): Outcome {
  const union = frame.slots.union(part.slot);
  if (typeof union === "symbol") return unreadable(union, node.right, part);
  if (inValue(item, union.value, node) === true) return true;
  return union.isComplete ? false : unreadable(FORGOTTEN, node.right, part);
}
