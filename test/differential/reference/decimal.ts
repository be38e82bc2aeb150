/** An exact decimal number: `digits` × 10^`exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The number that the shortest spelling of a double says: 0.1 is one tenth. */
export function decimal(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** The digits of both numbers at their smaller exponent. */
function aligned(a: Decimal, b: Decimal): { readonly a: bigint; readonly b: bigint; readonly exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  const at = (number: Decimal): bigint => number.digits * 10n ** BigInt(number.exponent - exponent);
  return { a: at(a), b: at(b), exponent };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const sides = aligned(a, b);
  return { digits: sides.a + sides.b, exponent: sides.exponent };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, exponent: a.exponent + b.exponent };
}

export function isAtMost(a: Decimal, b: Decimal): boolean {
  const sides = aligned(a, b);
  return sides.a <= sides.b;
}

export function absolute({ digits, exponent }: Decimal): Decimal {
  return { digits: digits < 0n ? -digits : digits, exponent };
}

export function sum(values: readonly number[]): Decimal {
  return values.map(decimal).reduce(add, decimal(0));
}

export function toNumber({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

/** |value − base| ≤ fraction × |base|: the rule of `tolerance` and of `band`. */
export function isWithin(value: number, base: number, fraction: number): boolean {
  const difference = absolute(add(decimal(value), decimal(-base)));
  return isAtMost(difference, multiply(decimal(fraction), absolute(decimal(base))));
}

export function isMultiple(value: number, step: number): boolean {
  const sides = aligned(decimal(value), decimal(step));
  return sides.a % sides.b === 0n;
}
