import { BeyondJson } from "../../base/beyond-json.js";
import { BigNumber, type ExactNumber } from "../../base/exact-number.js";
import type { JsonObject } from "../../base/json.js";
import type { Fault } from "./fault.js";
import type { SlotKey } from "./slot-reader.js";

/** A point in time, in milliseconds since 1970. */
export class Timestamp extends BeyondJson {
  constructor(readonly ms: ExactNumber) {
    super();
  }
}

/** A span of time, in milliseconds. */
export class Duration extends BeyondJson {
  constructor(readonly ms: ExactNumber) {
    super();
  }
}

/** A map with keys that need not be texts: a literal, or a keyed slot. */
export class ValueMap extends BeyondJson {
  constructor(readonly entries: ReadonlyMap<SlotKey, Value>) {
    super();
  }
}

/**
 * A keyed slot or a union that has not been read yet: what is read of it, and so which unsettled calls matter, depends on the keys that
 * follow.
 */
export class SlotPart extends BeyondJson {
  constructor(
    readonly slot: string,
    /** How many keys lead to an entry; 0 for a union. */
    readonly depth: number,
    readonly keys: readonly SlotKey[],
  ) {
    super();
  }
}

/** What a part of an expression is. JSON is used as it was given, so that reading it copies nothing. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | JsonObject
  | ValueMap
  | BigNumber
  | Timestamp
  | Duration
  | SlotPart;

/** What evaluating a part gives. Faults are values: exceptions would cost more than everything else. */
export type Outcome = Value | Fault;

/** The kinds that operators tell apart. */
export type Kind = "null" | "bool" | "number" | "string" | "list" | "map" | "timestamp" | "duration";

/** The kind of a value; a union that was not read is a list, a keyed slot a map. */
export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return kindOfObject(value);
  }
}

function kindOfObject(value: Exclude<Value, boolean | number | string>): Kind {
  if (value === null) return "null";
  if (isList(value)) return "list";
  if (value instanceof BigNumber) return "number";
  if (value instanceof Timestamp) return "timestamp";
  if (value instanceof Duration) return "duration";
  if (value instanceof SlotPart) return value.depth === 0 ? "list" : "map";
  return "map";
}

/** True for a list; `Array.isArray` alone does not narrow a readonly one. */
export function isList(value: Outcome): value is readonly Value[] {
  return Array.isArray(value);
}

/** True for an object of JSON. */
export function isPlainObject(value: Outcome): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof BeyondJson);
}

/** True for every number. */
export function isNumber(value: Outcome): value is ExactNumber {
  return typeof value === "number" || value instanceof BigNumber;
}
