import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import { verify } from "../../src/analysis/verify.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

const BOUNDS = { depth: 20, states: 100 };

const LIMITS = [
  ["circuit_breaker", (most: number) => `circuit_breaker: { consecutive_blocks: ${most} }`],
  ["circuit_breaker", (most: number) => `circuit_breaker: { consecutive_errors: ${most} }`],
  ["loop_detection", (most: number) => `loop_detection: { window: ${most}, threshold: ${most - 1} }`],
  ["max_tool_calls", (most: number) => `max_tool_calls: ${most}`],
] as const;

function packOf(limit: string): string {
  return `#== session.yaml (with the required fields)
session_limits: { ${limit} }
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.amount", lte: 100 }]
`;
}

describe.each(LIMITS)("a %s far beyond the longest session", (kind, limit) => {
  const [old, current] = [900_000_000, 900_000_001].map((most) => artifactOf(packOf(limit(most))));
  if (old === undefined || current === undefined) throw new Error("two packs");

  it("is not shown by verify, which names the bound", async () => {
    const [found] = await verify(old, [], BOUNDS);
    const rule = found?.rules.find((each) => each.rule.startsWith(kind));
    expect([rule?.status, rule?.met.includes("depth")]).toEqual(["not_shown", true]);
    expect(found?.bounds.hit).toContain("depth");
  });

  it("leaves the search of diff incomplete", async () => {
    const [difference] = await diffPacks(old, current, { bounds: BOUNDS, wording: sentenceOf });
    if (difference === undefined) throw new Error("they differ");
    expect(difference.isBounded).toBe(true);
    expect(gateOf(difference).loosened).toBe(true);
  });
});
