import { describe, expect, it } from "vitest";
import { AWAITED, INPUT, OUTSIDE, TRUE, UNJUDGEABLE } from "./cases.js";
import { judge } from "./evaluate.js";
import { evaluateByGuard } from "./guard-evaluator.js";
import { parseExpression } from "./language.js";

function answer(text: string, input = INPUT): string {
  const parsed = parseExpression(text);
  return parsed.kind === "tree" ? judge(parsed.tree, input) : parsed.why;
}

describe("the reference evaluator", () => {
  it.each(TRUE)("says true: %s", (text) => {
    expect([text, `!(${text})`].map((each) => answer(each))).toEqual(["true", "false"]);
  });

  it.each(UNJUDGEABLE)("cannot judge: %s", (text) => {
    expect(answer(text)).toBe("unjudgeable");
  });

  it.each(AWAITED)("waits for an output: %s", (text) => {
    expect(answer(text)).toBe("awaited");
  });

  it.each([
    ["true", TRUE],
    ["awaited", AWAITED],
  ])("says %s as the guard does", (wanted, texts) => {
    expect(texts.filter((text) => evaluateByGuard(text, INPUT) !== wanted)).toEqual([]);
  });

  it("cannot judge what the guard cannot judge, or the compiler refuses", () => {
    const answers = UNJUDGEABLE.map((text) => [text, evaluateByGuard(text, INPUT) ?? "unjudgeable"]);
    expect(answers.filter(([, judged]) => judged !== "unjudgeable")).toEqual([]);
  });

  it.each(OUTSIDE)("does not take: %s", (text, why) => {
    expect(answer(text)).toContain(why);
  });

  it("reads a time without an offset only where the session has a zone", () => {
    const text = 'timestamp("2024-03-01") < now + duration("240h")';
    expect(answer(text)).toBe("true");
    expect(answer(text, { ...INPUT, timezone: null })).toBe("unjudgeable");
  });

  it("uses UTC for the parts of a time where the session has no zone", () => {
    expect(answer("now.getHours() == 12", { ...INPUT, timezone: null })).toBe("true");
  });

  it("takes 100,000 steps and no more", () => {
    // Each item takes a step, and so do `true`, the variable, the call and its operand.
    const text = (length: number) => `lists.range(${length}).all(x, true)`;
    expect(answer(text(30_000))).toBe("true");
    expect(answer(text(50_000))).toBe("unjudgeable");
  });
});
