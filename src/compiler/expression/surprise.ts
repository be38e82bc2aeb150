import type { Expression } from "../../artifact/expression.js";
import type { Json } from "../../base/json.js";
import type { Outcome } from "./outcome.js";
import type { SlotShape } from "./scope.js";
import type { Shape } from "./shape.js";
import type { ValueKind } from "./value-kind.js";

/** Something that is certain about a part, and that nobody means. */
export type Surprise =
  | {
      readonly kind: "no_boolean";
      readonly part: Expression;
      readonly within: Expression;
      readonly kinds: Shape["kinds"];
    }
  | {
      readonly kind: "wrong_operand";
      readonly part: Expression;
      readonly found: Shape["kinds"];
      readonly wanted: readonly ValueKind[];
      readonly usage: string;
    }
  | {
      readonly kind: "never_comparable";
      readonly part: Expression & { readonly kind: "binary" };
      readonly left: Shape;
      readonly right: Shape;
    }
  | { readonly kind: "excluded_member"; readonly part: Expression; readonly name: string; readonly of: Shape };

/** What is known before a call is judged. */
export interface Facts {
  readonly args: Shape;
  /** Null where the expression is for several tools. */
  readonly tool: string | null;
  readonly slots: ReadonlyMap<string, SlotShape> | null;
  readonly constants: ReadonlyMap<string, Json> | null;
  /** Slots that are taken to have no value. */
  readonly unset?: ReadonlySet<string>;
}

/** The outcome of an expression, with what surprises about its parts. */
export interface Inference {
  readonly outcome: Outcome;
  readonly surprises: readonly Surprise[];
}

/** Judges parts; the files for operators and calls are handed it to go on with what is inside. */
export interface Judge {
  readonly surprises: Surprise[];
  infer(part: Expression): Outcome;
  /** A part that must be a boolean. */
  boolean(part: Expression, within: Expression): Outcome;
  /** A part that must be of certain kinds. */
  operand(part: Expression, wanted: readonly ValueKind[], usage: string): Outcome;
  /** Judges what is inside a macro, where a name stands for each item. */
  within<T>(name: string, items: Shape, judge: () => T): T;
  /** Whether a part is a slot that is taken to have no value. */
  isUnset(part: Expression): boolean;
}
