import { describe, expect, it } from "vitest";
import { closeBudget, openBudget, workLeft } from "../../../src/base/cost.js";
import { decimalOf, isMultipleOf, isWithin, plus, spells, trimmed } from "../../../src/base/decimal.js";
import { randomFrom } from "../../support/random.js";

describe("decimalOf", () => {
  it("is the shortest spelling of a double, however it is found", () => {
    const random = randomFrom(7);
    const values = [
      0,
      -0,
      0.1,
      -1.05,
      1e15,
      999_999_999_999_999,
      2 ** 53,
      1e21,
      5e-324,
      1e-7,
      0.000001,
      123456.7890123,
    ];
    for (let at = 0; at < 20_000; at++)
      values.push(Math.round(1e9 * random.next()) / 10 ** (at % 12), random.next() * 10 ** (at % 30));
    for (const value of values) {
      const [mantissa = "", exponent = "0"] = String(value).split("e");
      const [whole = "", fraction = ""] = mantissa.split(".");
      const spelled = { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
      expect(decimalOf(value)).toStrictEqual(spelled);
    }
  });
});

describe("isMultipleOf", () => {
  it.each([
    [0.3, 0.1, true],
    [1.1, 0.1, true],
    [1e308, 0.1, true],
    [0.35, 0.1, false],
    [0, 0.5, true],
    [-0.6, 0.2, true],
    [1, 0, false],
    [Number.POSITIVE_INFINITY, 1, false],
  ])("judges %d by %d", (value, step, expected) => {
    expect(isMultipleOf(value, step)).toBe(expected);
  });
});

describe("isWithin", () => {
  it.each([
    [101, 100, 0.01, true],
    [101.01, 100, 0.01, false],
    [-99, -100, 0.01, true],
    [0, 0, 0.5, true],
    [0.1, 0, 0.5, false],
    [1.1, 1, 0.1, true],
  ])("judges %d against %d within %d", (value, reference, fraction, expected) => {
    expect(isWithin(value, reference, fraction)).toBe(expected);
  });
});

describe("spells", () => {
  it.each([
    ["1.50", 1.5],
    ["1e3", 1000],
    ["+7", 7],
    [".5", 0.5],
    ["-0.0", 0],
    ["9007199254740991", 9007199254740991],
    ["100000000000000000000", 1e20],
  ])("takes %s for %d", (text, value) => {
    expect(spells(text, value)).toBe(true);
  });

  it.each(["9007199254740993", "9007199254740993.0", "10000000000000000.01", "0.12345678901234567890", ".inf", ""])(
    "refuses %j, which no double holds",
    (text) => {
      expect(spells(text, Number(text))).toBe(false);
    },
  );
});

describe("work", () => {
  function workOf(work: () => unknown): number {
    const outer = openBudget();
    const before = workLeft();
    work();
    const used = before - workLeft();
    closeBudget(outer);
    return used;
  }

  it("is paid by the digits that are written", () => {
    const long = { digits: 10n ** 600n + 10n, exponent: -300 };
    expect(trimmed(long)).toEqual({ digits: 10n ** 599n + 1n, exponent: -299 });
    expect(workOf(() => trimmed(long))).toBeGreaterThan(1200);
  });

  it("is paid by how far numbers lie apart", () => {
    const far = () => plus({ digits: 1n, exponent: 300 }, { digits: 1n, exponent: -300 });
    expect(far()).toEqual({ digits: 10n ** 600n + 1n, exponent: -300 });
    expect(workOf(far)).toBeGreaterThan(1800);
  });
});
