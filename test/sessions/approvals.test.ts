import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { approvalIdOf, memory, pay, paymentGuard, recordsOf, SESSION } from "../support/durable-guard.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { ALL_KINDS, closing } from "../support/operated-stores.js";

const ANN = { by: "ann", why: "the invoice fits" };
const RECORDED = { kind: "recorded", approvals: 1, needed: 1 };
const refusal = (reason: string) => ({ kind: "refused", reason });

/** The verdicts of the answers that were recorded. */
async function answersIn(store: DurableStore) {
  const records = await recordsOf(store);
  return records.flatMap(({ note }) => (note?.answer === undefined ? [] : [{ ...note }]));
}

describe.each(ALL_KINDS)("approvals in a %s store", (_, newUrl) => {
  it("are listed, shown and answered by somebody else; the guard that asked resumes", async () => {
    const store = await closing(await newUrl());
    const guard = await paymentGuard(store, { requester: "carl" });
    const id = approvalIdOf(await guard.propose(pay(120, { card: "4111-card" })));
    const approvals = openApprovals(store);
    const shown = {
      id,
      session: SESSION,
      tool: "pay",
      context: [{ label: "Amount", value: 120 }],
      rules: [{ file: "pay.yaml", line: expect.any(Number) }],
      requester: "carl",
      deadline: expect.any(Number),
      approvedBy: [],
      needed: 1,
    };
    expect(await approvals.list()).toEqual([shown]);
    expect(await approvals.show(id)).toEqual({ ...shown, arguments: { amount: 120, to: "ann" } });
    expect(await approvals.approve(id, ANN)).toEqual(RECORDED);
    expect(await approvals.list()).toEqual([]);
    expect(await guard.resume(id)).toEqual({ kind: "allow", callId: "call_1" });
    expect(await approvals.approve(id, ANN)).toEqual(refusal("approval_used"));
    expect(await answersIn(store)).toMatchObject([
      { operator: ANN, answer: { approvalId: id, end: "approved", by: "ann", note: ANN.why }, verdict: RECORDED_KIND },
      { operator: ANN, verdict: { kind: "block", reason: "approval_used" } },
    ]);
  });

  it("that are denied refuse the call", async () => {
    const store = await closing(await newUrl());
    const guard = await paymentGuard(store);
    const id = approvalIdOf(await guard.propose(pay(120)));
    expect(await openApprovals(store).deny(id, ANN)).toEqual({ ...RECORDED, approvals: 0 });
    expect(told(await guard.resume(id))).toBe("approval_denied");
  });
});

const RECORDED_KIND = { kind: "recorded" };

describe("an answer through the store", () => {
  it("needs somebody and a reason", async () => {
    const store = await memory();
    const id = approvalIdOf(await (await paymentGuard(store)).propose(pay(120)));
    const given: unknown[] = [undefined, null, {}, { by: "ann" }, { by: " ", why: "x" }, { by: "ann", why: "" }];
    for (const each of given) {
      await expect(openApprovals(store).approve(id, each as never)).rejects.toThrow(TypeError);
    }
    expect(await answersIn(store)).toEqual([]);
  });

  it("is refused and recorded where it comes too late", async () => {
    const store = await memory();
    const clock = new TestClock();
    const id = approvalIdOf(await (await paymentGuard(store, { clock })).propose(pay(120)));
    const approvals = openApprovals(store, { clock });
    clock.advance(60_000);
    expect(await approvals.list()).toEqual([]);
    expect(await approvals.approve(id, ANN)).toEqual(refusal("approval_expired"));
    expect(await answersIn(store)).toMatchObject([{ operator: ANN, verdict: { reason: "approval_expired" } }]);
  });

  it("is refused and recorded where it comes from who asked, or twice from one of several", async () => {
    const store = await memory();
    const guard = await paymentGuard(store, { requester: "carl", approvals: { quorum: 2 } });
    const id = approvalIdOf(await guard.propose(pay(120)));
    const approvals = openApprovals(store);
    expect(await approvals.approve(id, { ...ANN, by: "Carl " })).toEqual(refusal("approver_is_requester"));
    expect(await approvals.approve(id, ANN)).toEqual({ kind: "recorded", approvals: 1, needed: 2 });
    expect(await approvals.approve(id, ANN)).toEqual(refusal("approver_repeated"));
    expect(await approvals.list()).toMatchObject([{ approvedBy: ["ann"], needed: 2 }]);
    expect(await guard.resume(id)).toMatchObject({ kind: "approval_required", approvedBy: ["ann"] });
    expect(await approvals.approve(id, { ...ANN, by: "bob" })).toEqual({ kind: "recorded", approvals: 2, needed: 2 });
    expect(told(await guard.resume(id))).toBe("allow");
    expect((await answersIn(store)).map(({ operator }) => operator)).toMatchObject([
      ...[{ by: "Carl " }, ANN, ANN],
      { by: "bob" },
    ]);
  });

  it("is refused and recorded for a request that the session does not have", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    await guard.propose(pay(120));
    const swapped = `approval_7@${SESSION}`;
    expect(await openApprovals(store).approve(swapped, ANN)).toEqual(refusal("approval_mismatch"));
    expect(await answersIn(store)).toMatchObject([{ operator: ANN, answer: { approvalId: swapped } }]);
  });

  it("is refused in a session that was killed, whose request is no longer listed", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const id = approvalIdOf(await guard.propose(pay(120)));
    await guard.kill("stop");
    const approvals = openApprovals(store);
    expect(await approvals.list()).toEqual([]);
    expect(await approvals.approve(id, ANN)).toEqual(refusal("session_killed"));
  });

  it.each(["approval_1", "approval_0@x", "call_1@x", "", "approval_1@"])(
    "needs an id of an approval: %j",
    async (id) => {
      const approvals = openApprovals(await memory());
      await expect(approvals.approve(id, ANN)).rejects.toMatchObject({ code: "unknown_approval" });
      await expect(approvals.show(id)).rejects.toMatchObject({ code: "unknown_approval" });
    },
  );

  it("finds the session of an id even if its name looks like one", async () => {
    const store = await memory();
    const sessionId = "approval_1@b\nx@y";
    const guard = await paymentGuard(store, { sessionId });
    const id = approvalIdOf(await guard.propose(pay(120)));
    expect(await openApprovals(store).approve(id, ANN)).toEqual(RECORDED);
    await expect(openApprovals(store).approve("approval_1@ghost", ANN)).rejects.toMatchObject({
      code: "unknown_session",
    });
  });

  it("cannot be shown once the request is over", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const id = approvalIdOf(await guard.propose(pay(120)));
    const approvals = openApprovals(store);
    await approvals.approve(id, ANN);
    expect(await approvals.show(id)).toMatchObject({ id, approvedBy: ["ann"] });
    await guard.resume(id);
    await expect(approvals.show(id)).rejects.toThrow("it is approved");
  });
});
