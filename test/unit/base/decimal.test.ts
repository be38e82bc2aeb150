import { describe, expect, it } from "vitest";
import { isMultipleOf, isWithin, spells } from "../../../src/base/decimal.js";

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
