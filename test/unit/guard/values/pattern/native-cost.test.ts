import { describe, expect, it } from "vitest";
import { nativeCost } from "../../../../../src/guard/values/pattern/native-cost.js";
import { parsePattern } from "../../../../../src/guard/values/pattern/program.js";

function costOf(source: string): number {
  return nativeCost(parsePattern(source));
}

describe("nativeCost", () => {
  const many = Array.from({ length: 2000 }, (_, n) => String.fromCodePoint(0x3000 + 3 * n)).join("");

  it("counts a class of many ranges for what searching them takes", () => {
    expect(costOf(`^[${many}]*$`)).toBeGreaterThanOrEqual(8 * costOf("^[ab]*$") - 8);
    expect(costOf(`[${many}]{1,100}x`)).toBeGreaterThanOrEqual(8 * costOf("[ab]{1,100}x"));
  });

  it("counts a property so too", () => {
    expect(costOf("^\\p{L}*$")).toBe(costOf(`^[${many}]*$`));
  });

  it("leaves ordinary classes as they were", () => {
    expect(costOf("^[a-z0-9_]+$")).toBe(costOf("^a+$"));
  });
});
