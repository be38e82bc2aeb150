import { describe, expect, it } from "vitest";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { principalDigest } from "../../src/guard/durable/recording.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import { memory, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== quote.yaml (with the required fields)
side_effect: write
binds: [{ name: quoted, source: output, path: $.amount }]
#== pay.yaml (with the required fields)
side_effect: write
requires:
  - that: |
      args.order.amount <= slots.quoted && now < timestamp("2026-01-01T00:01:00Z")
    reason: Quotes are good for a minute
  - that: args.owner == principal.id
    reason: People pay for themselves
ensures:
  - that: output.paid == args.order.amount
    reason: Exactly that is paid
checkpoint:
  when: [{ that: args.order.amount > 100 }]
  timeout_seconds: 600
`;

const PRINCIPAL = { id: "u1" };

const FIRST = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
side_effect: write
requires:
  - that: args.parts.map(k, k)[0] == "a"
    reason: The first part comes first
checkpoint:
  when: [{ that: "args.parts.map(k, args.parts[k])[0] == 1" }]
  timeout_seconds: 600
`;

/** A session with calls before and after the time that a rule names. */
async function played(store: DurableStore, storeArguments?: "all"): Promise<readonly string[]> {
  const clock = new TestClock();
  const guard = await createGuard(artifactOf(PACK), {
    ...{ env: {}, store, sessionId: SESSION, principal: PRINCIPAL, clock, approver: "manual" },
    ...(storeArguments === undefined ? {} : { storeArguments }),
  });
  const verdicts: string[] = [];
  const propose = async (tool: string, args: object, output: object) => {
    const verdict = await guard.propose({ tool, args });
    verdicts.push(told(verdict));
    if (verdict.kind !== "allow") return verdict;
    const { violation } = await guard.settle(verdict.callId, { kind: "result", output });
    if (violation !== undefined) verdicts.push(violation.reason);
    return verdict;
  };
  const pay = (amount: number, owner = "u1", paid = amount) =>
    propose("pay", { order: { amount, secret: "do not store" }, owner, note: "do not store" }, { paid });
  await pay(5);
  await propose("quote", {}, { amount: 200 });
  await pay(5);
  await pay(5, "u2");
  await pay(5, "u1", 6);
  clock.advance(59_999);
  await pay(5);
  const asked = await pay(150);
  if (asked.kind === "approval_required") verdicts.push(told(await guard.approve(asked.approvalId, { by: "p" })));
  clock.advance(1);
  await pay(5);
  return verdicts;
}

const VERDICTS = [
  ...["requirement_unjudgeable", "allow", "allow", "requirement_failed", "allow", "guarantee_failed"],
  ...["allow", "approval_required", "allow", "requirement_failed"],
];

describe("a session with expressions that was recorded", () => {
  it.each([[undefined], ["all" as const]])(
    "is decided the same way again, with arguments stored: %s",
    async (stored) => {
      const store = await memory();
      expect(await played(store, stored)).toEqual(VERDICTS);
      const principals = new Map([[principalDigest(PRINCIPAL), PRINCIPAL]]);
      const { result } = await replayStore(store, { artifact: artifactOf(PACK), principals, env: {}, session: null });
      expect(result).toMatchObject({ ok: true, problems: [], skipped: { output: 3 }, replayed: 12 });
    },
  );

  it("does not depend on the order of the members of an argument", async () => {
    const store = await memory();
    const guard = await createGuard(artifactOf(FIRST), { env: {}, store, sessionId: SESSION, approver: "manual" });
    const first = told(await guard.propose({ tool: "pay", args: { parts: { b: 1, a: 2 } } }));
    const asked = await guard.propose({ tool: "pay", args: { parts: { b: 2, a: 1 } } });
    expect([first, told(asked)]).toEqual(["allow", "approval_required"]);
    if (asked.kind === "approval_required") await guard.approve(asked.approvalId, { by: "p" });
    expect(told(await guard.propose({ tool: "pay", args: { parts: { c: 2, b: 1 } } }))).toBe("requirement_failed");
    const { result } = await replayStore(store, {
      ...{ artifact: artifactOf(FIRST), principals: new Map(), env: {}, session: null },
    });
    expect(result).toMatchObject({ ok: true, problems: [] });
  });

  it("stores only what expressions read of arguments", async () => {
    const store = await memory();
    await played(store);
    const text = JSON.stringify(await recordsOf(store));
    expect(text).toContain('"amount":150');
    expect(text).not.toContain("do not store");
  });

  it("does not judge what reads a principal that is not known", async () => {
    const store = await memory();
    await played(store);
    const { result } = await replayStore(store, {
      ...{ artifact: artifactOf(PACK), principals: new Map(), env: {}, session: null },
    });
    expect(result).toMatchObject({ ok: true, problems: [], skipped: { principal: 6 } });
  });
});
