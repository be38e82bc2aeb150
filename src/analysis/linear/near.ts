import { compare, type Fraction, floor, isWhole, minus, plus, times, ZERO } from "./fraction.js";

/** A number that is a little above or below a fraction where `by` is not 0: how strict bounds are kept exactly. */
export interface Near {
  readonly at: Fraction;
  readonly by: Fraction;
}

export const near = (at: Fraction, by: Fraction = ZERO): Near => ({ at, by });

export function compareNear(a: Near, b: Near): number {
  return compare(a.at, b.at) || compare(a.by, b.by);
}

export const minusNear = (a: Near, b: Near): Near => near(minus(a.at, b.at), minus(a.by, b.by));

/** The first with so many times the second added. */
export function moved(a: Near, b: Near, factor: Fraction): Near {
  const by = b.by.top === 0n ? a.by : plus(a.by, times(b.by, factor));
  return near(plus(a.at, times(b.at, factor)), by);
}

export const isWholeNear = ({ at, by }: Near): boolean => by.top === 0n && isWhole(at);

/** The largest whole number that is not larger. */
export function floorNear({ at, by }: Near): bigint {
  return isWhole(at) && by.top < 0n ? at.top - 1n : floor(at);
}
