import { describe, expect, it } from "vitest";
import { NumberBag } from "../../../../src/guard/session/number-bag.js";
import { randomFrom } from "../../../support/random.js";

function extremes(values: readonly number[]): readonly (number | null)[] {
  return values.length === 0 ? [null, null] : [Math.min(...values), Math.max(...values)];
}

describe("a bag of numbers", () => {
  it("knows its least and its greatest, whatever goes in and out", () => {
    const random = randomFrom(12);
    let bag = new NumberBag();
    const values: number[] = [];
    for (let time = 0; time < 20_000; time++) {
      if (values.length === 0 || random.below(100) < (time % 2_000 < 1_000 ? 60 : 40)) {
        const value = (random.below(200) - 100) / 4;
        values.push(value);
        bag.add(value);
      } else {
        const [value = 0] = values.splice(random.below(values.length), 1);
        bag.remove(value);
      }
      expect([bag.least, bag.greatest]).toEqual(extremes(values));
      if (time % 1_000 === 0) bag = new NumberBag(bag);
    }
  });

  it("is a copy of another only at first", () => {
    const bag = new NumberBag();
    bag.add(1);
    const copy = new NumberBag(bag);
    copy.add(2);
    copy.remove(1);
    expect([bag.least, bag.greatest, copy.least, copy.greatest]).toEqual([1, 1, 2, 2]);
  });
});
