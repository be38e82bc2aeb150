import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { fateOf, payGuard, violationOf } from "../support/guard-calls.js";

const RETRIES = "retries: { max_attempts: 2, retry_on: ['429'] }";
const GATE = "policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Too hot }] }";

/** A call that was settled as not happened, and gives a result nevertheless. */
async function lateResult(guard: Guard): Promise<void> {
  const verdict = await guard.propose({ tool: "pay", args: { amount: 1 } });
  if (verdict.kind !== "allow") throw new Error("a call is allowed");
  await guard.settle(verdict.callId, { kind: "did_not_happen" });
  await guard.settle(verdict.callId, { kind: "result", output: {} });
}

/** A call of two attempts; between them something happens to its session. */
async function retried(mode: NonNullable<GuardOptions["mode"]>, happen: (guard: Guard) => Promise<unknown>) {
  const guard = await payGuard(RETRIES, { mode }, GATE);
  let sent = 0;
  const call = guard.wrap(async () => {
    sent += 1;
    if (sent > 1) return { paid: true };
    await happen(guard);
    throw Object.assign(new Error("429"), { status: 429, retryAfter: 0 });
  });
  const calling = call("pay", { amount: 1 });
  return { guard, calling, sent: () => sent };
}

describe.each(["shadow", "log-only"] as const)("a wrapped call in %s mode", (mode) => {
  it("is sent though a late result is not acknowledged", async () => {
    const guard = await payGuard("", { mode });
    await lateResult(guard);
    expect(await guard.wrap(async () => ({ paid: true }))("pay", { amount: 1 })).toEqual({ paid: true });
    expect(fateOf(guard)).toBe("committed");
  });

  it.each([
    ["a late result", lateResult],
    ["a label that gates its tool", (guard: Guard) => guard.addLabel("hot")],
  ])("is tried again after %s", async (_, happen) => {
    const { calling, sent } = await retried(mode, happen);
    expect(await calling).toEqual({ paid: true });
    expect(sent()).toBe(2);
  });

  it("is not tried again after a kill", async () => {
    const { guard, calling, sent } = await retried(mode, (killed) => killed.kill("enough"));
    expect((await violationOf(calling)).verdict.reason).toBe("session_killed");
    expect({ sent: sent(), fate: fateOf(guard) }).toEqual({ sent: 1, fate: "released" });
  });
});

describe("a wrapped call in enforce mode", () => {
  it("is not tried again after a late result", async () => {
    const { calling, sent } = await retried("enforce", lateResult);
    expect((await violationOf(calling)).verdict.reason).toBe("late_result_unacknowledged");
    expect(sent()).toBe(1);
  });
});
