import { describe, expect, it } from "vitest";
import { assertWhole, lostDraft, markDamaged } from "../../../src/language/draft.js";

describe("assertWhole", () => {
  it("returns a draft from which nothing was dropped", () => {
    const draft = { agent: "clerk" };
    expect(assertWhole<{ readonly agent: string }>(draft)).toBe(draft);
  });

  it("fails on a draft with a dropped part, however deep, and on one that is lost", () => {
    const draft = { phases: [{ name: "start" }] };
    markDamaged(draft, ["phases", "0", "initial"]);
    expect(() => assertWhole(draft)).toThrow(/pack without errors/);
    expect(() => assertWhole(lostDraft<object>({ name: "session.yaml", text: "" }))).toThrow(/pack without errors/);
  });
});
