import type { Json } from "../../base/json.js";
import { ANYTHING, ofKinds, type Shape } from "./shape.js";

/** What judging a part may give: a value of a shape, or nothing because it cannot be judged. */
export interface Outcome {
  readonly shape: Shape;
  readonly mayFail: boolean;
  /** Of a boolean: whether it may be true, and whether it may be false. */
  readonly mayBeTrue: boolean;
  readonly mayBeFalse: boolean;
  /** A text, or a boolean or null that is known; numbers are known by their digits. */
  readonly known?: Json;
  readonly digits?: string;
  /** Of a list whose length is known: each of its items. */
  readonly items?: readonly Outcome[];
}

/** A value of a shape. */
export function valued(shape: Shape, mayFail: boolean): Outcome {
  const isTruth = shape.kinds.has("boolean");
  return { shape, mayFail, mayBeTrue: isTruth, mayBeFalse: isTruth };
}

/** A boolean. */
export function truth(mayBeTrue: boolean, mayBeFalse: boolean, mayFail: boolean): Outcome {
  return { shape: mayBeTrue || mayBeFalse ? ofKinds("boolean") : ofKinds(), mayFail, mayBeTrue, mayBeFalse };
}

/** Nothing: it can never be judged. */
export const NEVER: Outcome = { shape: ofKinds(), mayFail: true, mayBeTrue: false, mayBeFalse: false };

/** Anything at all. */
export const UNKNOWN: Outcome = valued(ANYTHING, true);

/** Whether a part has a value in no case. */
export function hasNoValue({ shape }: Outcome): boolean {
  return shape.kinds.size === 0;
}

/** Whether a part is true, or false, in every case. */
export function isAlways(value: boolean, { mayBeTrue, mayBeFalse, mayFail }: Outcome): boolean {
  return !mayFail && (value ? mayBeTrue && !mayBeFalse : mayBeFalse && !mayBeTrue);
}
