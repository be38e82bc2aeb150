import { describe, expect, it } from "vitest";
import { type Decimal, decimalOf, decimalOfText } from "../../../src/base/decimal.js";
import {
  add,
  compareNumbers,
  divide,
  type ExactNumber,
  equalNumbers,
  exactNumber,
  floorOf,
  multiply,
  remainder,
  roundTo,
  subtract,
} from "../../../src/base/exact-number.js";
import { fc } from "../../support/fast-check.js";

/** A fraction of integers: slow, and right by its definition. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

function fractionOf(value: ExactNumber): Fraction {
  const { digits, exponent }: Decimal = typeof value === "number" ? decimalOf(value) : value;
  return exponent < 0
    ? { over: digits, under: 10n ** BigInt(-exponent) }
    : { over: digits * 10n ** BigInt(exponent), under: 1n };
}

/** The decimal of a fraction if it is one of at most 34 digits. */
function held({ over, under }: Fraction): ExactNumber | null {
  const places = 400;
  const scaled = over * 10n ** BigInt(places);
  if (scaled % under !== 0n) return null;
  return exactNumber({ digits: scaled / under, exponent: -places });
}

const plain = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -100_000_000, max: 100_000_000 }).map((cents) => cents / 100),
  fc.maxSafeInteger(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e25, max: 1e25 })
    .filter((n) => n === 0 || Math.abs(n) > 1e-40),
);

const long = fc
  .tuple(fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }), fc.integer({ min: -40, max: 20 }))
  .map(([digits, exponent]) => exactNumber({ digits, exponent }))
  .filter((value): value is ExactNumber => value !== null);

const anyNumber: fc.Arbitrary<ExactNumber> = fc.oneof(plain, plain, long);

function expectSame(actual: ExactNumber | null, expected: ExactNumber | null): void {
  if (actual === null || expected === null) expect(actual).toBe(expected);
  else expect({ actual, expected, isSame: equalNumbers(actual, expected) }).toMatchObject({ isSame: true });
}

describe("exact numbers", () => {
  it("add, subtract, multiply and divide as fractions do", () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => {
        const [x, y] = [fractionOf(a), fractionOf(b)];
        const under = x.under * y.under;
        expectSame(add(a, b), held({ over: x.over * y.under + y.over * x.under, under }));
        expectSame(subtract(a, b), held({ over: x.over * y.under - y.over * x.under, under }));
        expectSame(multiply(a, b), held({ over: x.over * y.over, under }));
        const quotient = y.over === 0n ? null : held({ over: x.over * y.under, under: x.under * y.over });
        expectSame(divide(a, b), quotient);
      }),
      { numRuns: 3000 },
    );
  });

  it("have the order of their fractions", () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => {
        const [x, y] = [fractionOf(a), fractionOf(b)];
        const apart = x.over * y.under - y.over * x.under;
        expect(Math.sign(compareNumbers(a, b))).toBe(apart < 0n ? -1 : apart > 0n ? 1 : 0);
        expect(equalNumbers(a, b)).toBe(apart === 0n);
      }),
      { numRuns: 3000 },
    );
  });

  it("round halves away from zero, and down to integers", () => {
    fc.assert(
      fc.property(anyNumber, fc.integer({ min: -5, max: 8 }), (a, digits) => {
        const { over, under } = fractionOf(a);
        const size = over < 0n ? -over : over;
        const up = digits >= 0 ? 10n ** BigInt(digits) : 1n;
        const down = digits < 0 ? 10n ** BigInt(-digits) : 1n;
        const steps = (2n * size * up + under * down) / (2n * under * down);
        expectSame(roundTo(a, digits), held({ over: (over < 0n ? -steps : steps) * down, under: up }));
        const floor = over / under - (over < 0n && over % under !== 0n ? 1n : 0n);
        // Plain equality: 0 and -0 are one number.
        expect(floorOf(a) === Number(floor)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("leave the remainder of a division that truncates", () => {
    const integer = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }));
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        const [x, y] = [BigInt(a), BigInt(b)];
        const of = (value: bigint) => exactNumber({ digits: value, exponent: 0 }) ?? 0;
        expectSame(remainder(of(x), of(y)), y === 0n ? null : of(x % y));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["1e34", true],
    ["9999999999999999999999999999999999", true],
    ["99999999999999999999999999999999999", false],
    ["-0.0000000000000000000000000000000001", true],
  ])("hold %s: %s", (text, isHeld) => {
    const decimal = decimalOfText(text);
    expect(decimal !== null && exactNumber(decimal) !== null).toBe(isHeld);
  });
});
