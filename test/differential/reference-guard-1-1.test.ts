import { describe, expect, it } from "vitest";
import { start } from "./scenario.js";
import { EXPRESSIONS } from "./scenarios/expressions.js";
import { KEYED_SLOTS } from "./scenarios/keyed-slots.js";
import { needs, packOf } from "./scenarios/language-1-1.js";
import { UNIONS } from "./scenarios/unions.js";

describe.each([
  ["keyed slots", KEYED_SLOTS],
  ["unions", UNIONS],
  ["expressions", EXPRESSIONS],
])("the reference guard of language 1.1: %s", (_, scenarios) => {
  it.each(scenarios.map((scenario) => [scenario.sentence, scenario] as const))("%s", (_sentence, scenario) => {
    const play = start(scenario.pack, scenario.options);
    expect(scenario.steps.map(([step]) => step(play))).toEqual(scenario.steps.map(([, word]) => word));
  });
});

describe("the reference guard of language 1.1", () => {
  it("refuses to start without a principal where an expression looks at one", () => {
    const needy = packOf([needs("a", "[1].all(x, x == principal.level)")]);
    expect(() => start(needy)).toThrow("the pack needs a principal");
    expect(() => start(packOf([needs("a", "[1].all(principal, principal == 1)")]))).not.toThrow();
  });
});
