import type { Expression } from "../../../artifact/expression.js";
import type { JsonObject } from "../../../base/json.js";
import type { Part } from "../frame.js";
import type { Zone } from "../time/zone.js";

/** How a slot is kept. */
export interface SlotShape {
  readonly kind: "plain" | "keyed" | "union";
  /** How many keys lead to an entry of a keyed slot. */
  readonly depth: number;
}

/** What expressions of a pack are prepared with. */
export interface Context {
  readonly constants: JsonObject;
  /** The zone of times without one; null if the session names none. */
  readonly zone: Zone | null;
  /** Slots that are not plain; every other one is. */
  readonly slots: ReadonlyMap<string, SlotShape>;
}

/** What a part is prepared in: the variables of the macros around it have the place of their nesting. */
export interface Scope {
  readonly context: Context;
  readonly locals: readonly string[];
}

/** Prepares a part of the part that is being prepared. */
export type Prepare = (node: Expression, scope: Scope) => Part;
