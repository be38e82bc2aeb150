import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../../src/guard/durable-store.js";
import { createGuard } from "../../../src/guard/guard.js";
import { approvalIdOf, callIdOf, memory, pay, paymentGuard, recordsOf } from "../../support/durable-guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { violationOf } from "../../support/guard-calls.js";
import { TestClock } from "../../support/guard-clock.js";
import { told } from "../../support/guard-steps.js";
import { LossyStore } from "../../support/lossy-store.js";

const ANN = { by: "ann" };
const RECORDED = { kind: "recorded", approvals: 1, needed: 1 };

async function twoGuards(options = {}) {
  const store = await memory();
  return { store, one: await paymentGuard(store, options), other: await paymentGuard(store, options) };
}

/** A store with a clock of its own. */
class ClockedStore extends LossyStore {
  readonly clock = new TestClock();

  override async load(...given: Parameters<DurableStore["load"]>) {
    return { ...(await super.load(...given)), now: this.clock.now() };
  }

  override async append(...given: Parameters<DurableStore["append"]>) {
    return { ...(await super.append(...given)), now: this.clock.now() };
  }
}

describe("the clock of the store", () => {
  it.each(["approve", "resume"] as const)(
    "decides also where the guard did not hear of it for long: %s",
    async (how) => {
      const store = new ClockedStore(await memory());
      const guard = await paymentGuard(store);
      const id = approvalIdOf(await guard.propose(pay(120)));
      // As after the sleep of the machine of the guard, whose own clocks stood still.
      store.clock.advance(61_000);
      expect(told(await (how === "approve" ? guard.approve(id, ANN) : guard.resume(id)))).toBe("approval_expired");
    },
  );
});

describe("an answer through another guard", () => {
  it("is recorded; the guard that proposed reserves the call, once", async () => {
    const { one, other } = await twoGuards();
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(await other.approve(id, ANN)).toEqual(RECORDED);
    expect(other.state().unsettled).toEqual([]);
    const allowed = await one.resume(id);
    expect(allowed).toEqual({ kind: "allow", callId: "call_1" });
    expect(await other.resume(id)).toEqual({ ...allowed, repeated: true });
    expect(told(await other.approve(id, { by: "bob" }))).toBe("approval_used");
  });

  it("lets the first guard that resumes have the call where the one that asked is gone", async () => {
    const { store, one, other } = await twoGuards();
    const id = approvalIdOf(await one.propose(pay(120)));
    await other.approve(id, ANN);
    const third = await paymentGuard(store);
    const verdicts = await Promise.all([third.resume(id), other.resume(id)]);
    expect(verdicts.filter((verdict) => verdict.kind === "allow" && verdict.repeated !== true)).toHaveLength(1);
    expect(third.state().unsettled.length + other.state().unsettled.length).toBeGreaterThan(0);
  });

  it("ends the pause: other calls are judged again before the approved one is resumed", async () => {
    const { one, other } = await twoGuards();
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(told(await other.propose(pay(10)))).toBe("session_paused");
    await other.approve(id, ANN);
    await other.settle(callIdOf(await other.propose(pay(40))), { kind: "result", output: {} });
    // 40 and 120 are more than 150.
    expect(told(await one.resume(id))).toBe("aggregate_exceeded");
    expect(told(await one.resume(id))).toBe("approval_used");
  });

  it("wakes a wrapped call, which makes the call", async () => {
    const { one, other } = await twoGuards();
    const asked = new Promise<string>((resolve) => {
      one.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    const sent: unknown[] = [];
    const calling = one.wrap(async (tool) => sent.push(tool))("pay", pay(120).args);
    expect(await other.approve(await asked, ANN)).toEqual(RECORDED);
    expect(await calling).toBe(1);
    expect(sent).toEqual(["pay"]);
  });

  it("is read once by a wrapped call that is woken, before it is decided on", async () => {
    const store = await memory();
    const lossy = new LossyStore(store);
    const one = await paymentGuard(lossy);
    const other = await paymentGuard(store);
    const asked = new Promise<string>((resolve) => {
      one.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    const calling = one.wrap(async () => ({}))("pay", pay(120).args);
    const id = await asked;
    const requests: string[] = [];
    const noted = (request: string) => () => {
      requests.push(request);
      return "pass" as const;
    };
    lossy.loads = noted("load");
    lossy.appends = noted("append");
    await other.approve(id, ANN);
    await calling;
    // The answer, the reservation; what came meanwhile, before the call is sent; its outcome.
    expect(requests).toEqual(["load", "append", "load", "append"]);
  });

  it("stops an approver that is a function and still thinks", async () => {
    const store = await memory();
    const one = await paymentGuard(store, { approver: () => new Promise(() => undefined) });
    const other = await paymentGuard(store);
    const asked = new Promise<string>((resolve) => {
      one.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    const proposing = one.propose(pay(120));
    await other.approve(await asked, ANN);
    expect(await proposing).toEqual({ kind: "allow", callId: "call_1" });
  });

  it("keeps the key of the call, also after the deadline and while another request has expired", async () => {
    const clock = new TestClock();
    const { one, other } = await twoGuards({ clock });
    const call = { ...pay(120), callKey: "k" };
    const id = approvalIdOf(await one.propose(call));
    await other.approve(id, ANN);
    approvalIdOf(await one.propose(pay(130)));
    clock.advance(60_000);
    expect(await one.propose(call)).toMatchObject({ approvalId: id, repeated: true });
    expect(await one.resume(id)).toEqual({ kind: "allow", callId: "call_1" });
    expect(await one.propose(call)).toEqual({ kind: "allow", callId: "call_1", repeated: true });
  });

  it("that denies ends the request everywhere", async () => {
    const { one, other } = await twoGuards();
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(await other.deny(id, { by: "ann", note: "no" })).toEqual({ kind: "recorded", approvals: 0, needed: 1 });
    expect(told(await one.resume(id))).toBe("approval_denied");
    expect(told(await one.propose(pay(10)))).toBe("allow");
  });

  it("is refused after the deadline, by the clock of the store or the guard, and that is recorded", async () => {
    const clock = new TestClock();
    const { store, one, other } = await twoGuards({ clock });
    const id = approvalIdOf(await one.propose(pay(120)));
    clock.advance(60_000);
    expect(told(await other.approve(id, ANN))).toBe("approval_expired");
    const notes = (await recordsOf(store)).flatMap(({ note }) => (note?.answer === undefined ? [] : [note]));
    expect(notes).toMatchObject([
      { answer: { approvalId: id, end: "approved", by: "ann" }, verdict: { kind: "block" } },
    ]);
  });
});

it("an approved call may be resumed by a guard that stores other parts of the arguments", async () => {
  const parameters = `{ "type": "object", "required": ["id", "note"], "properties": { "id": { "type": "string" } } }`;
  const artifact = artifactOf(`
#== tools.json
[{ "name": "send", "input_schema": ${parameters} }]
#== send.yaml (with the required fields)
side_effect: write
checkpoint: { when: [{ path: $.id, equals: a }], timeout_seconds: 60 }
`);
  const store = await memory();
  const options = { env: {}, sessionId: "s", approver: "manual", store } as const;
  const one = await createGuard(artifact, options);
  const other = await createGuard(artifact, { ...options, storeArguments: "all" });
  const id = approvalIdOf(await one.propose({ tool: "send", args: { id: "a", note: "long" } }));
  await other.approve(id, ANN);
  expect(told(await other.resume(id))).toBe("allow");
});

describe("approvals by several people", () => {
  const options = { requester: "Zoe", approvals: { quorum: 2 } };

  it("take as many different ones as are needed", async () => {
    const { one, other } = await twoGuards(options);
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(await one.approve(id, ANN)).toEqual({ kind: "recorded", approvals: 1, needed: 2 });
    expect(await one.resume(id)).toMatchObject({ kind: "approval_required", approvedBy: ["ann"] });
    expect(told(await one.approve(id, { by: " Ann " }))).toBe("approver_repeated");
    expect(told(await other.approve(id, { by: "ZOE" }))).toBe("approver_is_requester");
    expect(told(await one.approve(id, { by: "zoe" }))).toBe("approver_is_requester");
    expect(told(await one.approve(id, { by: "" }))).toBe("approver_unnamed");
    expect(told(await one.deny(id, { by: "zoe " }))).toBe("approver_is_requester");
    expect(told(await other.deny(id, { by: "Zoe" }))).toBe("approver_is_requester");
    expect(await one.approve(id, { by: "bob" })).toEqual({ kind: "allow", callId: "call_1" });
  });

  it.each([
    ["case and spaces at its ends", " ANN LEE "],
    ["wide letters", "\uff21nn Lee"],
    ["further spaces", "Ann \u00a0 Lee"],
    ["a space without width", "Ann Lee\u200b"],
    ["a hyphen that is not shown", "An\u00adn Lee"],
    ["a tag character", "Ann\u{e0061} Lee"],
    ["a control character", "Ann Lee\u0000"],
    ["a blank that is no space", "Ann Lee\u2800"],
    ["what is no character", "Ann Lee\ufffe"],
    ["a character without a meaning of its own", "Ann\ue000 Lee"],
    ["half of a pair", "Ann Lee\ud800"],
  ])("count one person once whose name is spelt with %s", async (_, by) => {
    const { one, other } = await twoGuards({ requester: "Ann Lee", approvals: { quorum: 2 } });
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(told(await one.approve(id, { by }))).toBe("approver_is_requester");
    expect(told(await other.approve(id, { by }))).toBe("approver_is_requester");
    expect(told(await other.approve(id, { by: "\u200b" }))).toBe("approver_unnamed");
    const asked = await twoGuards({ approvals: { quorum: 2 } });
    const second = approvalIdOf(await asked.one.propose(pay(120)));
    await asked.other.approve(second, { by: "Ann Lee" });
    expect(told(await asked.one.approve(second, { by }))).toBe("approver_repeated");
  });

  it.each([
    ["is the requester", { by: "Zoe" }, "approver_is_requester"],
    ["has no name", { by: "" }, "approver_unnamed"],
  ])(
    "cannot come from an approver that %s; the call is refused, and nobody waits for it",
    async (_, answer, reason) => {
      const store = await memory();
      const asked = { ...options, approver: async () => ({ decision: "approve", ...answer }) as const };
      const guard = await paymentGuard(store, asked);
      expect(told(await guard.propose(pay(120)))).toBe(reason);
      expect(told(await guard.propose(pay(1)))).toBe("allow");
      expect(told(await (await paymentGuard(store)).approve("approval_1@ticket-7", ANN))).toBe("approval_withdrawn");
    },
  );

  it("wait for others where the approver that is asked has approved already", async () => {
    const store = await memory();
    const other = await paymentGuard(store);
    const approver = async ({ approvalId }: { readonly approvalId: string }) => {
      await other.approve(approvalId, ANN);
      return { decision: "approve", ...ANN } as const;
    };
    const guard = await paymentGuard(store, { ...options, approver });
    expect(await guard.propose(pay(120))).toMatchObject({ kind: "approval_required", approvedBy: ["ann"] });
  });

  it("are recorded one by one through other guards", async () => {
    const { one, other } = await twoGuards(options);
    const id = approvalIdOf(await one.propose(pay(120)));
    expect(await other.approve(id, ANN)).toEqual({ kind: "recorded", approvals: 1, needed: 2 });
    expect(await other.approve(id, { by: "bob" })).toEqual({ kind: "recorded", approvals: 2, needed: 2 });
    expect(await one.resume(id)).toEqual({ kind: "allow", callId: "call_1" });
  });

  it("end with one denial", async () => {
    const { one } = await twoGuards(options);
    const id = approvalIdOf(await one.propose(pay(120)));
    await one.approve(id, ANN);
    expect(told(await one.deny(id, { by: "bob" }))).toBe("approval_denied");
    expect(told(await one.resume(id))).toBe("approval_denied");
  });

  it("may include the requester where that is allowed", async () => {
    const { one } = await twoGuards({ requester: "zoe", approvals: { notRequester: false } });
    expect(told(await one.approve(approvalIdOf(await one.propose(pay(120))), { by: "zoe" }))).toBe("allow");
  });

  it.each([
    ["a quorum of none", { approvals: { quorum: 0 } }],
    ["half a person", { approvals: { quorum: 1.5 } }],
    ["a misspelt field", { approvals: { quorom: 2 } }],
    ["a requester without a name", { requester: " " }],
    ["no object", { approvals: 2 }],
  ])("are no %s", async (_, wrong) => {
    await expect(paymentGuard(await memory(), wrong as object)).rejects.toThrow(TypeError);
  });
});

describe("a granted call that another guard resumed first", () => {
  it("is not sent by the wrapped call that waited for it", async () => {
    const store = await memory();
    // Its connection is away until the other guard has resumed the call.
    const away = new LossyStore(store);
    const one = await paymentGuard(away);
    const asked = new Promise<string>((resolve) => {
      one.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    const sent: unknown[] = [];
    const calling = violationOf(one.wrap(async (tool) => sent.push(tool))("pay", pay(120).args));
    const id = await asked;
    away.loads = () => "request lost";
    const other = await paymentGuard(store);
    await other.approve(id, ANN);
    expect(await other.resume(id)).toEqual({ kind: "allow", callId: "call_1" });
    away.loads = () => "pass";
    expect((await calling).verdict.reason).toBe("approval_used");
    expect(sent).toEqual([]);
    expect(other.unsettled()).toMatchObject([{ callId: "call_1", origin: "approved" }]);
  });
});
