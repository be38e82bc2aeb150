import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/entry.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

/** Far more than one budget takes; three hundred of them take ten seconds. */
const HANG_MS = 20_000;

/** Many rules, each of which takes a part of a budget to be judged, and one at the end that takes nothing. */
const PACK = `
#== t.yaml (with the required fields)
assertions:
  input_invariants:
${Array.from({ length: 300 }, (_, n) => `    - { path: "$..n[*]", lte: ${n} }`).join("\n")}
  output_invariants: []
#== session.yaml (with the required fields)
aggregates: [{ name: calls, metric: count, tool: t, lte: 0, reason: None at all }]
`;

describe("explaining a call that many rules refuse", () => {
  it("has one budget for all of them, and reports the checks that need none of it", { timeout: HANG_MS }, async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    const args = { n: Array.from({ length: 200_000 }, () => 1000) };
    const reasons = guard.explain({ tool: "t", args }).map(told);
    const judged = reasons.filter((reason) => reason === "input_invariant_failed");
    expect(judged.length).toBeGreaterThan(0);
    expect(judged.length).toBeLessThan(30);
    expect(reasons).toEqual([...judged, "unjudgeable_cost", "aggregate_exceeded"]);
  });

  it("lists all of them where they cost little", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    const reasons = guard.explain({ tool: "t", args: { n: [1000] } }).map(told);
    expect(reasons).toEqual([...Array.from({ length: 300 }, () => "input_invariant_failed"), "aggregate_exceeded"]);
  });
});
