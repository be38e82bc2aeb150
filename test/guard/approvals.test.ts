import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { ApprovalAnswer, GuardOptions, Verdict } from "../../src/guard/public.js";
import { FaultyStore, later, silence } from "../support/faulty-store.js";
import { artifactOf } from "../support/guard-artifact.js";
import { rejectionOf, revokedProxy, violationOf } from "../support/guard-calls.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { MemoryStore } from "../support/guard-store.js";

const PACK = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 100, reason: At most 100 }]
policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Hot }] }
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.n, gte: 50 }], timeout_seconds: 30 }
#== slow.yaml (with the required fields)
side_effect: financial
checkpoint: { when: always, timeout_seconds: 30, on_timeout: allow }
#== long.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 300 }
`;
const PAY = { tool: "pay", args: { n: 60 } };
const SLOW = { tool: "slow", args: {} };
const ANN = { by: "ann" };
const ONCE = { kind: "allow", callId: "call_1" };
const AGAIN = { ...ONCE, repeated: true };

function guardWith(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(PACK), { env: {}, sessionId: "s", approver: "manual", ...options });
}

function approvalOf(verdict: Verdict): string {
  return verdict.kind === "approval_required" ? verdict.approvalId : "";
}

/** The id of the next request. */
function requested(guard: Guard): Promise<string> {
  return new Promise((resolve) => guard.on("approval_requested", ({ approvalId }) => resolve(approvalId)));
}

/** A function that counts what it is asked to send. */
function counting() {
  const sent: unknown[] = [];
  const call = async (tool: string) => {
    sent.push(tool);
    return {};
  };
  return { sent, call };
}

const EARLY = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
checkpoint:
  when:
    - that: |
        now < timestamp("2026-01-01T00:00:10Z")
  timeout_seconds: 300
  context: [{ label: Amount, path: $.n }]
  reason: Early payments are looked at
`;

describe("a call that waits", () => {
  it("is shown as it was asked for, whatever its checkpoint would ask by now", async () => {
    const clock = new TestClock();
    const options = { env: {}, approver: "manual", approvals: { quorum: 2 }, clock } as const;
    const guard = await createGuard(artifactOf(EARLY), options);
    const asked = await guard.propose({ ...PAY, callKey: "k" });
    expect(asked).toMatchObject({ rules: [{ file: "pay.yaml" }], context: [{ label: "Amount", value: 60 }] });
    await guard.approve(approvalOf(asked), ANN);
    clock.advance(20_000);
    const waiting = { ...asked, approvedBy: ["ann"] };
    expect(await guard.resume(approvalOf(asked))).toEqual(waiting);
    expect(await guard.propose({ ...PAY, callKey: "k" })).toEqual({ ...waiting, repeated: true });
  });
});

describe("one approval", () => {
  it("allows one caller to send the call: the one that approves; a later resume is marked repeated", async () => {
    const guard = await guardWith();
    const id = approvalOf(await guard.propose(PAY));
    expect(await guard.approve(id, ANN)).toEqual(ONCE);
    expect([await guard.resume(id), await guard.resume(id)]).toEqual([AGAIN, AGAIN]);
  });

  it("lets the first who resumes make a call that silence let through", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    const id = approvalOf(await guard.propose(SLOW));
    clock.advance(30_000);
    const answers = await Promise.all([guard.resume(id), guard.resume(id)]);
    expect([...answers, await guard.resume(id)]).toEqual([ONCE, AGAIN, AGAIN]);
  });

  it("allows only the proposal that asked a function to send the call", async () => {
    const answer = later<ApprovalAnswer>();
    const guard = await guardWith({ approver: () => answer.promise });
    const id = requested(guard);
    const proposing = guard.propose({ ...PAY, callKey: "k" });
    const resuming = guard.resume(await id);
    answer.finish({ decision: "approve", by: "ann" });
    expect([await proposing, await resuming]).toEqual([ONCE, AGAIN]);
    expect(await guard.propose({ ...PAY, callKey: "k" })).toEqual(AGAIN);
    expect(await guard.resume(await id)).toEqual(AGAIN);
  });

  it("lets one of two guards make a call that silence let through", async () => {
    const store = new MemoryStore();
    const clock = new TestClock();
    const [one, other] = [await guardWith({ store, clock }), await guardWith({ store, clock })];
    const id = approvalOf(await one.propose(SLOW));
    clock.advance(30_000);
    const answers = await Promise.all([one.resume(id), other.resume(id)]);
    expect(answers.filter((verdict) => !("repeated" in verdict))).toEqual([ONCE]);
    expect(answers).toContainEqual(AGAIN);
  });

  it.each(["approve", "resume"] as const)(
    "leaves the call to the wrapped one that waits, whoever calls %s",
    async (how) => {
      const clock = new TestClock();
      const guard = await guardWith({ clock });
      const { sent, call } = counting();
      const id = requested(guard);
      const calling = guard.wrap(call)("slow", {});
      if (how === "resume") clock.advance(30_000);
      const verdict = how === "resume" ? await guard.resume(await id) : await guard.approve(await id, ANN);
      expect(verdict).toEqual(AGAIN);
      expect(await calling).toEqual({});
      expect(sent).toEqual(["slow"]);
      expect(told(await guard.resume(await id))).toBe("approval_used");
    },
  );

  it.each([
    ["a person", "manual"],
    ["a function", async (): Promise<ApprovalAnswer> => ({ decision: "deny", by: "a function" })],
  ] as const)(
    "leaves the call to the wrapped one even if it comes at once, before %s was asked",
    async (_who, approver) => {
      const guard = await guardWith({ approver });
      const { sent, call } = counting();
      const calling = guard.wrap(call)("pay", PAY.args);
      expect(await guard.approve("approval_1", ANN)).toEqual(AGAIN);
      expect(await calling).toEqual({});
      expect([sent, guard.state().unsettled]).toEqual([["pay"], []]);
    },
  );

  it("is not waited for after an answer through the guard, though the approver hangs", async () => {
    for (const end of ["approve", "deny"] as const) {
      const guard = await guardWith({ approver: () => new Promise(() => undefined) });
      const { sent, call } = counting();
      const id = requested(guard);
      const calling = guard
        .wrap(call)("pay", PAY.args)
        .catch((cause: unknown) => cause);
      await guard[end](await id, ANN);
      if (end === "approve") expect([await calling, sent]).toEqual([{}, ["pay"]]);
      else expect([await calling, sent]).toMatchObject([{ verdict: { reason: "approval_denied" } }, []]);
    }
  });

  it("answers a proposal whose approver hangs as soon as another approver answers, or a kill comes", async () => {
    const ends = [
      ["allow", (guard: Guard, id: string) => guard.approve(id, ANN)],
      ["approval_denied", (guard: Guard, id: string) => guard.deny(id, ANN)],
      ["session_killed", (guard: Guard) => guard.kill("stop")],
    ] as const;
    for (const [reason, end] of ends) {
      const guard = await guardWith({ approver: () => new Promise(() => undefined) });
      const id = requested(guard);
      const proposing = guard.propose(PAY);
      await end(guard, await id);
      const verdict = await proposing;
      expect(told(verdict)).toBe(reason);
      if (verdict.kind === "allow") expect(verdict.repeated).toBe(true);
    }
  });

  it("in another process wakes the wrapped call, which makes it once", async () => {
    const store = new MemoryStore();
    const [one, other] = [await guardWith({ store }), await guardWith({ store })];
    const { sent, call } = counting();
    const id = requested(one);
    const calling = one.wrap(call)("pay", PAY.args);
    expect(told(await other.approve(await id, ANN))).toBe("recorded");
    expect(await calling).toEqual({});
    expect(sent).toEqual(["pay"]);
  });

  it("is waited for though the store fails for a moment", async () => {
    const store = new FaultyStore();
    const [one, other] = [await guardWith({ store }), await guardWith({ store: store.sound })];
    const { sent, call } = counting();
    const id = requested(one);
    const calling = one.wrap(call)("pay", PAY.args);
    await id;
    const failed = later<void>();
    store.faults.load = () => {
      store.faults = {};
      failed.finish();
      return Promise.reject(new Error("away"));
    };
    await failed.promise;
    expect(told(await other.approve(await id, ANN))).toBe("recorded");
    expect(await calling).toEqual({});
    expect(sent).toEqual(["pay"]);
  });

  it("is not waited for beyond its deadline where the store stays away", async () => {
    const store = new FaultyStore();
    const clock = new TestClock();
    const guard = await guardWith({ store, clock });
    const { sent, call } = counting();
    const id = requested(guard);
    const calling = violationOf(guard.wrap(call)("slow", {}));
    await id;
    store.faults = { load: () => Promise.reject(new Error("away")), append: () => Promise.reject(new Error("away")) };
    clock.advance(30_000);
    expect((await calling).verdict.reason).toBe("store_unavailable");
    expect(sent).toEqual([]);
  });

  it("is used for a wrapped call where another guard resumed it after its deadline", async () => {
    const store = new MemoryStore();
    const clock = new TestClock();
    const [one, other] = [await guardWith({ store, clock }), await guardWith({ store, clock })];
    const { sent, call } = counting();
    const id = requested(one);
    const calling = violationOf(one.wrap(call)("slow", {}));
    await id;
    await delay(20); // it waits by now, and looks again later than the other guard does
    clock.advance(30_000);
    expect(await other.resume(await id)).toEqual(ONCE);
    expect((await calling).verdict.reason).toBe("approval_used");
    expect(sent).toEqual([]);
    expect(other.state().unsettled).toMatchObject([{ callId: "call_1", status: "running" }]);
  });

  it("that another guard makes use of is not given back by a caller who gives up", async () => {
    const store = new MemoryStore();
    const clock = new TestClock();
    const [one, other] = [await guardWith({ store, clock }), await guardWith({ store, clock })];
    const id = requested(one);
    const caller = new AbortController();
    const calling = rejectionOf(one.wrap(counting().call)("slow", {}, { signal: caller.signal }));
    await id;
    await delay(20); // it waits by now, and looks again later than the other guard does
    clock.advance(30_000);
    expect(await other.resume(await id)).toEqual(ONCE);
    caller.abort(new Error("changed my mind"));
    await calling;
    await delay(10);
    expect(await other.settle("call_1", { kind: "result", output: {} })).toEqual({ accepted: true });
  });
});

describe("a request that a kill overtakes", () => {
  const hanging = () => new Promise<ApprovalAnswer>(() => undefined);

  it("asks no approver: the kill came while the request was recorded", async () => {
    const store = new FaultyStore();
    let asked = 0;
    const approver = () => {
      asked += 1;
      return hanging();
    };
    const guard = await guardWith({ store, approver });
    const decisions: unknown[] = [];
    guard.on("decision", ({ kind, reason }) => decisions.push(reason ?? kind));
    const recording = later<void>();
    store.faults.append = async (real) => {
      store.faults = {};
      await recording.promise;
      return real();
    };
    const answers = [guard.propose(PAY), violationOf(guard.wrap(counting().call)("pay", PAY.args))] as const;
    await delay(5);
    const killed = guard.kill("stop");
    recording.finish();
    expect(told(await answers[0])).toBe("session_killed");
    expect((await answers[1]).verdict.reason).toBe("session_killed");
    await killed;
    expect({ asked, decisions }).toEqual({ asked: 0, decisions: ["session_killed", "session_killed"] });
  });

  it("asks no approver if a listener kills", async () => {
    let asked = 0;
    const approver = () => {
      asked += 1;
      return hanging();
    };
    for (const options of [{ approver }, {}]) {
      const guard = await guardWith(options);
      guard.on("approval_requested", () => void guard.kill("stop"));
      expect(told(await guard.propose(PAY))).toBe("session_killed");
    }
    expect(asked).toBe(0);
  });

  it("is not waited for where the approver itself kills and hangs", async () => {
    const guard = await guardWith({
      approver: () => {
        void guard.kill("stop");
        return hanging();
      },
    });
    expect(told(await guard.propose(PAY))).toBe("session_killed");
  });

  it("is not waited for once anything has read of a kill by another process", async () => {
    for (const read of ["beginStep", "recordCost"] as const) {
      const store = new MemoryStore();
      const [guard, other] = [await guardWith({ store, approver: hanging }), await guardWith({ store })];
      const id = requested(guard);
      const proposing = guard.propose(PAY);
      await id;
      await other.kill("stop");
      await (read === "beginStep" ? guard.beginStep() : guard.recordCost(1));
      expect(told(await proposing)).toBe("session_killed");
    }
  });
});

describe("a clock that is set back while a function is asked", () => {
  it("gives the function the time until the deadline", async () => {
    const clock = new TestClock();
    const guard = await guardWith({
      clock,
      approver: async () => {
        clock.advance(-29_990);
        await delay(100);
        return { decision: "approve", by: "ann" };
      },
    });
    guard.on("approval_requested", () => clock.advance(29_990));
    expect(await guard.propose(PAY)).toEqual(ONCE);
  });
});

describe("a call of a tool without a contract that waits", () => {
  it("is refused by a guard that lets none of these through", async () => {
    const artifact = artifactOf(`
#== session.yaml (with the required fields)
checkpoints: [{ name: all, tool: "*", when: always, timeout_seconds: 30 }]
#== pay.yaml (with the required fields)
`);
    const store = new MemoryStore();
    const options = { env: {}, sessionId: "s", approver: "manual", store } as const;
    const lenient = await createGuard(artifact, { ...options, unmatched: "allow" });
    const id = approvalOf(await lenient.propose({ tool: "other", args: {} }));
    const strict = await createGuard(artifact, options);
    expect(told(await strict.approve(id, ANN))).toBe("recorded");
    expect(told(await strict.resume(id))).toBe("unmatched_tool");
  });
});

describe("resuming in a killed session", () => {
  it("never gives an allow, though the call runs", async () => {
    for (const store of [undefined, new MemoryStore()]) {
      const guard = await guardWith(store === undefined ? {} : { store });
      const id = approvalOf(await guard.propose(PAY));
      expect(await guard.approve(id, ANN)).toEqual(ONCE);
      await guard.kill("stop");
      expect(told(await guard.resume(id))).toBe("session_killed");
    }
  });
});

describe("resuming while another call is waited for", () => {
  it("has to wait, and does not use up what silence let through", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    const silent = approvalOf(await guard.propose(SLOW));
    clock.advance(30_000);
    const other = approvalOf(await guard.propose({ tool: "long", args: {} }));
    expect(told(await guard.resume(silent))).toBe("session_paused");
    await guard.deny(other, ANN);
    expect(await guard.resume(silent)).toEqual(ONCE);
  });
});

describe("a denial by a function that could not be recorded", () => {
  it("stays one, though silence would let the call through", async () => {
    const store = new FaultyStore();
    const clock = new TestClock();
    const answer = later<ApprovalAnswer>();
    const guard = await guardWith({ store, clock, approver: () => answer.promise, storeTimeoutMs: 30 });
    const id = requested(guard);
    const proposing = guard.propose(SLOW);
    await id;
    store.faults = { append: silence, load: silence };
    answer.finish({ decision: "deny", by: "ann" });
    expect(told(await proposing)).toBe("approval_denied");
    clock.advance(60_000);
    expect(told(await guard.resume(await id))).toBe("approval_denied");
    expect(told(await guard.approve(await id, ANN))).toBe("approval_denied");
    store.faults = {};
    const denied = { kind: "approval_ended", approvalId: await id, end: "denied" };
    await expect.poll(() => store.sound.log("s"), { timeout: 10_000 }).toContainEqual(denied);
    expect(told(await guard.resume(await id))).toBe("approval_denied");
    const next = await guardWith({ store, clock });
    expect(told(await next.resume(await id))).toBe("approval_denied");
  });
});

describe("a denial by a function", () => {
  it("holds even if another approver approves while it could not be recorded", async () => {
    const store = new FaultyStore();
    const answer = later<ApprovalAnswer>();
    const guard = await guardWith({ store, approver: () => answer.promise });
    const id = requested(guard);
    const proposing = guard.propose(PAY);
    await id;
    const away = later<void>();
    store.faults.append = async () => {
      await away.promise;
      store.faults = {};
      throw new Error("away");
    };
    answer.finish({ decision: "deny", by: "ann" });
    await delay(5); // it is being recorded by now
    const approving = guard.approve(await id, { by: "bob" });
    away.finish();
    expect([told(await proposing), told(await approving)]).toEqual(["approval_denied", "approval_denied"]);
    const denied = { kind: "approval_ended", approvalId: await id, end: "denied" };
    await expect.poll(() => store.sound.log("s"), { timeout: 10_000 }).toContainEqual(denied);
    expect(guard.state().unsettled).toEqual([]);
  });
});

describe("a request whose caller gave up while the store was away", () => {
  const withdrawn = (approvalId: string) => ({ kind: "approval_ended", approvalId, end: "withdrawn" });

  async function givenUp(tool: string, options: GuardOptions = {}) {
    const store = new FaultyStore();
    const clock = new TestClock();
    const guard = await guardWith({ store, clock, storeTimeoutMs: 30, settleTimeoutMs: 60, ...options });
    const { sent, call } = counting();
    const caller = new AbortController();
    const id = requested(guard);
    const calling = rejectionOf(guard.wrap(call)(tool, PAY.args, { signal: caller.signal }));
    return { store, clock, guard, sent, caller, calling, id: await id };
  }

  it("is withdrawn here at once, and in the store when that is back: the session goes on", async () => {
    const { store, guard, caller, calling, id, sent } = await givenUp("pay");
    await delay(5);
    store.faults = { append: silence, load: silence };
    caller.abort(new Error("changed my mind"));
    expect(await calling).toMatchObject({ message: "changed my mind" });
    expect(told(await guard.approve(id, ANN))).toBe("approval_withdrawn");
    expect(told(await guard.resume(id))).toBe("approval_withdrawn");
    store.faults = {};
    await expect.poll(() => store.sound.log("s"), { timeout: 10_000 }).toContainEqual(withdrawn(id));
    expect(guard.explain({ tool: "pay", args: { n: 1 } })).toEqual([]);
    expect({ sent, state: guard.state() }).toMatchObject({ sent: [], state: { toolCalls: 0, unsettled: [] } });
  });

  it("reserves nothing once its deadline passes, though silence allows and a function was asked", async () => {
    const hanging = () => new Promise<ApprovalAnswer>(() => undefined);
    const { store, clock, guard, caller, calling, id } = await givenUp("slow", { approver: hanging });
    store.faults.append = async () => {
      store.faults = {};
      clock.advance(30_000);
      throw new Error("away");
    };
    caller.abort(new Error("changed my mind"));
    await calling;
    await expect.poll(() => store.sound.log("s"), { timeout: 10_000 }).toContainEqual(withdrawn(id));
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("gives back what was reserved for it when the store is back", async () => {
    const { store, guard, caller, calling, id, sent } = await givenUp("pay");
    await delay(5);
    store.faults.append = async (real) => {
      store.faults = { append: () => Promise.reject(new Error("away")) };
      return real();
    };
    const approving = guard.approve(id, ANN);
    caller.abort(new Error("changed my mind"));
    expect(await approving).toEqual(AGAIN);
    await calling;
    expect(guard.state().unsettled).toHaveLength(1);
    store.faults = {};
    await expect.poll(() => guard.state().unsettled, { timeout: 10_000 }).toEqual([]);
    expect({ sent, calls: guard.state().toolCalls }).toEqual({ sent: [], calls: 0 });
  });
});

describe("a request that silence let through and whose caller gave up", () => {
  it("is withdrawn too: no caller resumes it", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    const caller = new AbortController();
    const id = requested(guard);
    const calling = rejectionOf(guard.wrap(counting().call)("slow", {}, { signal: caller.signal }));
    await id;
    await delay(5);
    clock.advance(30_000);
    expect(told(await guard.propose({ tool: "pay", args: { n: 1 } }))).toBe("allow"); // the deadline is noticed
    caller.abort(new Error("changed my mind"));
    await calling;
    expect(told(await guard.resume(await id))).toBe("approval_withdrawn");
    expect(guard.state().toolCalls).toBe(1);
  });
});

describe("an answer", () => {
  /** An answer of somebody without types. */
  const answered = (guard: Guard, end: "approve" | "deny", id: string, answer: unknown): Promise<Verdict> =>
    Reflect.apply(guard[end], guard, [id, answer]);

  it("is read once: what is recorded is what is reported, and a trap leaves no reserved call behind", async () => {
    const store = new MemoryStore();
    const guard = await guardWith({ store });
    const heard: unknown[] = [];
    guard.on("approval_answered", (event) => heard.push(event));
    const id = approvalOf(await guard.propose(PAY));
    const names = ["ann"];
    const answer = {
      get by() {
        const name = names.shift();
        if (name === undefined) throw new Error("a trap");
        return name;
      },
    };
    expect(await guard.approve(id, answer)).toEqual(ONCE);
    expect(heard).toEqual([{ approvalId: id, end: "approved", by: "ann" }]);
    expect(store.log("s")).toContainEqual({ kind: "approval_ended", approvalId: id, end: "approved", by: "ann" });
  });

  const traps: readonly (readonly [string, () => unknown])[] = [
    ["nothing", () => undefined],
    ["null", () => null],
    ["a text", () => "ann"],
    ["a revoked proxy", revokedProxy],
  ];

  it.each(traps)("that cannot be read approves nothing, and denies all the same: %s", async (_, answer) => {
    const guard = await guardWith();
    const heard: unknown[] = [];
    guard.on("approval_answered", ({ end, by }) => heard.push({ end, by }));
    const id = approvalOf(await guard.propose(SLOW));
    expect(await rejectionOf(answered(guard, "approve", id, answer()))).toBeInstanceOf(TypeError);
    expect(told(await guard.resume(id))).toBe("approval_required");
    expect(told(await answered(guard, "deny", id, answer()))).toBe("approval_denied");
    expect(told(await guard.resume(id))).toBe("approval_denied");
    expect(heard).toEqual([{ end: "denied", by: "unknown" }]);
  });

  it("may say by whom in another way than by a text, which is not recorded", async () => {
    const store = new MemoryStore();
    const guard = await guardWith({ store });
    const id = approvalOf(await guard.propose(PAY));
    expect(await answered(guard, "approve", id, { by: { token: "secret" }, note: 7 })).toEqual(ONCE);
    expect(store.log("s")).toContainEqual({ kind: "approval_ended", approvalId: id, end: "approved" });
  });
});

describe("listeners of answers", () => {
  it("hear of those that were accepted and recorded only", async () => {
    const store = new FaultyStore();
    const clock = new TestClock();
    const guard = await guardWith({ store, clock, storeTimeoutMs: 30 });
    const heard: unknown[] = [];
    guard.on("approval_answered", (event) => heard.push(event));
    await guard.approve("approval_9", ANN);
    const id = approvalOf(await guard.propose(PAY));
    store.faults = { append: () => Promise.reject(new Error("away")) };
    expect(told(await guard.approve(id, ANN))).toBe("store_unavailable");
    store.faults = {};
    expect(heard).toEqual([]);
    expect(told(await guard.approve(id, ANN))).toBe("allow");
    expect(heard).toEqual([{ approvalId: id, end: "approved", by: "ann" }]);
    await guard.deny(id, ANN);
    const late = approvalOf(await guard.propose({ tool: "long", args: {} }));
    clock.advance(300_000);
    expect(told(await guard.deny(late, ANN))).toBe("approval_expired");
    expect(heard).toHaveLength(1);
  });
});

describe("an answer to no approval at all", () => {
  it.each(["approve", "deny"] as const)("is refused by name, also where none is pending: %s", async (answer) => {
    const guard = await guardWith();
    const nothing: { readonly id: string } = JSON.parse("{}");
    expect(told(await guard[answer](nothing.id, ANN))).toBe("approval_mismatch");
    expect(told(await guard.resume(nothing.id))).toBe("approval_mismatch");
  });
});
