import type { Expression } from "../../artifact/expression.js";
import { BeyondJson } from "../../base/beyond-json.js";
import type { SlotKey } from "./slot-reader.js";

const NO_KEYS: readonly SlotKey[] = Object.freeze([]);

/** Why a part of an expression has no value. */
export type FaultKind =
  /** A member, a key or an item that a value does not have. */
  | "missing"
  /** A slot, or a key of one, that no call has set. */
  | "unset"
  /** A slot whose value is no longer known. */
  | "lost"
  /** Not found in a slot that has forgotten something. */
  | "forgotten"
  /** An operand of a kind that the operator does not take. */
  | "kind"
  /** A text, a number or a time that means nothing here: `timestamp("soon")`, a division by 0. */
  | "value"
  /** More digits, steps or time than there may be. */
  | "bound"
  /** It depends on an output that has not arrived. */
  | "awaited";

/** A part of an expression without a value, and why; what is shown of it is worded only where a call is refused. */
export class Fault extends BeyondJson {
  constructor(
    readonly kind: FaultKind,
    /** The part that has no value. */
    readonly part: Expression,
    /** The kind that was found, the slot, or what is wrong. */
    readonly what: string = "",
    readonly keys: readonly SlotKey[] = NO_KEYS,
  ) {
    super();
  }
}

/**
 * Of two parts without a value that which says more: where one cannot be judged, it does not matter what an output turns
 * out to be.
 */
export function worse(a: Fault, b: Fault): Fault {
  return a.kind === "awaited" ? b : a;
}
