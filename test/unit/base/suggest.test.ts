import { describe, expect, it } from "vitest";
import { suggest } from "../../../src/base/suggest.js";

describe("suggest", () => {
  it.each([
    ["side_efect", ["side_effect", "evidence_class"], "side_effect"],
    ["forbid_after", ["forbids_after", "binds"], "forbids_after"],
    ["TOOL", ["tool"], "tool"],
    ["aproved", ["approved", "proved"], "approved"],
    ["tiemouts", ["timeouts", "retries"], "timeouts"],
  ])("takes %s for the nearest of %j", (word, candidates, expected) => {
    expect(suggest(word, candidates)).toBe(expected);
  });

  it.each([
    ["colour", ["tool", "gate"]],
    ["x", ["retries"]],
    ["tool", ["tool"]],
    ["a".repeat(1000), ["a".repeat(999)]],
    ["", ["tool"]],
  ])("has nothing to say about %.20s", (word, candidates) => {
    expect(suggest(word, candidates)).toBeUndefined();
  });
});
