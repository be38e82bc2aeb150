import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== quote.yaml (with the required fields)
side_effect: write
binds: [{ name: quoted, path: $.amount }, { name: other, path: $.amount }]
#== pay.yaml (with the required fields)
requires:
  - that: args.amount >= slots.quoted
    reason: What is paid was quoted
#== both.yaml (with the required fields)
requires:
  - that: args.amount >= slots.quoted + slots.other
    reason: What is paid was quoted twice
`;

/** A guard with so many unsettled calls that bind different amounts. */
async function waiting(calls: number) {
  const guard = await createGuard(artifactOf(PACK), { env: {} });
  const first = await guard.propose({ tool: "quote", args: { amount: 0 } });
  if (first.kind === "allow") await guard.settle(first.callId, { kind: "result", output: {} });
  for (let amount = 0; amount < calls; amount++) await guard.propose({ tool: "quote", args: { amount } });
  return guard;
}

describe("many unsettled calls", () => {
  it.each([
    [10, "pay", 5, "requirement_failed"],
    [10, "pay", 9, "allow"],
    [10, "both", 17, "requirement_failed"],
    [10, "both", 18, "allow"],
    [300, "pay", 298, "requirement_failed"],
    [300, "pay", 299, "allow"],
    [300, "both", 10_000, "pending_conflict"],
    [2000, "pay", 10_000, "pending_conflict"],
    [2000, "pay", 0, "requirement_failed"],
  ])("with %d of them `%s` %d is decided: %s", { timeout: 20_000 }, async (calls, tool, amount, verdict) => {
    const guard = await waiting(calls);
    expect(told(await guard.propose({ tool, args: { amount } }))).toBe(verdict);
  });
});
