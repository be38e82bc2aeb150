import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { GuardEvents } from "../../src/guard/public.js";
import { ContractViolation } from "../../src/guard/wrap/contract-violation.js";
import { artifactOf } from "../support/guard-artifact.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
envelopes:
  - name: due
    constraint: lte_ceiling
    reason: No more than is due
    stages:
      - { tool: due, path: $.amount, role: ceiling }
      - { tool: pay, path: $.amount, source: output, role: constrained }
#== due.yaml (with the required fields)
#== pay.yaml (with the required fields)
side_effect: financial
assertions:
  input_invariants: []
  output_invariants:
    - { path: $.paid, equals: true, reason: The provider confirms every payment }
    - { path: $.id, exists: true }
execution_constraints: { arguments: [{ path: $.currency, equals: USD, reason: We pay in US dollars }] }
preconditions:
  - { requires_prior_tool: due, with_output: [{ path: $.ok, equals: true }], reason: Only what is due is paid }
`;

async function guardAfterDue(ok = true) {
  const guard = await createGuard(artifactOf(PACK), {});
  const due = await guard.propose({ tool: "due", args: { amount: 10 } });
  if (due.kind !== "allow") throw new Error("the call is allowed");
  await guard.settle(due.callId, { kind: "result", output: { ok } });
  return guard;
}

async function violation(output: unknown) {
  const guard = await guardAfterDue();
  const verdict = await guard.propose({ tool: "pay", args: { currency: "USD" } });
  if (verdict.kind !== "allow") throw new Error("the call is allowed");
  return (await guard.settle(verdict.callId, { kind: "result", output })).violation;
}

describe("the reason of a rule", () => {
  it("comes with a violation of that rule, and of no other", async () => {
    expect(await violation({ paid: false, id: 1, amount: 1 })).toMatchObject({
      reason: "output_invariant_failed",
      because: "The provider confirms every payment",
    });
    expect(await violation({ paid: true, amount: 1 })).not.toHaveProperty("because");
    expect(await violation({ paid: true, id: 1, amount: 11 })).toMatchObject({
      reason: "output_stage_violated",
      because: "No more than is due",
    });
  });

  it("is in the message of what wrap throws", async () => {
    const guard = await guardAfterDue();
    const call = guard.wrap(async () => ({ paid: false, id: 1, amount: 1 }));
    const thrown = (args: object) =>
      call("pay", args).then(
        () => null,
        (cause: unknown) => cause,
      );
    const refused = await thrown({ currency: "EUR" });
    expect(refused).toBeInstanceOf(ContractViolation);
    expect(refused).toMatchObject({ message: expect.stringContaining("because: We pay in US dollars") });
    expect(await thrown({ currency: "USD" })).toMatchObject({
      message: expect.stringMatching(/output_invariant_failed.*; because: The provider confirms every payment$/),
      verdict: { because: "The provider confirms every payment" },
    });
  });

  it("is shown where the hint is not, because it holds nothing of a call", async () => {
    const guard = await guardAfterDue(false);
    const cause: unknown = await guard
      .wrap(async () => ({}))("pay", { currency: "USD" })
      .catch((error) => error);
    expect(cause).toMatchObject({
      message: expect.stringMatching(/prior_output_mismatch.*; because: Only what is due is paid$/),
    });
  });

  it("is given to listeners, for decisions and for settlements", async () => {
    const guard = await guardAfterDue();
    const decided: GuardEvents["decision"][] = [];
    const settled: GuardEvents["settled"][] = [];
    guard.on("decision", (event) => decided.push(event));
    guard.on("settled", (event) => settled.push(event));
    await guard.propose({ tool: "pay", args: { currency: "EUR" } });
    const verdict = await guard.propose({ tool: "pay", args: { currency: "USD" } });
    if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output: { paid: 1 } });
    expect(decided.map(({ because }) => because)).toEqual(["We pay in US dollars", undefined]);
    expect(settled.map(({ because }) => because)).toEqual(["The provider confirms every payment"]);
  });

  it("comes with every refusal that explain lists", async () => {
    const guard = await createGuard(artifactOf(PACK), {});
    const because = guard.explain({ tool: "pay", args: {} }).map((refusal) => refusal.because);
    expect(because).toEqual(["Only what is due is paid", "We pay in US dollars"]);
  });
});
