import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createGuard, ExecutedButNotRecorded, type Guard, StoreUnavailable } from "../../src/guard/entry.js";
import type { GuardOptions, Verdict } from "../../src/guard/public.js";
import { FaultyStore, foreign, later, silence } from "../support/faulty-store.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

const SESSION = "s";
const SECRET = "s3cret";
const PACK = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 100, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.n, gte: 90 }], timeout_seconds: 60 }
`;
const PAY = { tool: "pay", args: { n: 10 } };

async function guarded(options: GuardOptions = {}) {
  const store = new FaultyStore();
  const limits = { storeTimeoutMs: 60, settleTimeoutMs: 60 };
  const guard = await createGuard(artifactOf(PACK), { sessionId: SESSION, store, env: {}, ...limits, ...options });
  return { store, guard };
}

function callIdOf(verdict: Verdict): string {
  return verdict.kind === "block" ? verdict.reason : verdict.callId;
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "no error",
    (cause: unknown) => cause,
  );
}

describe("an answer of the store that is neither true nor false", () => {
  it.each(["1", '"ok"', "{}", "[]", "null", "0"])("is not believed: %s", async (answer) => {
    const { store, guard } = await guarded();
    store.faults = { append: async () => foreign(answer) };
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
    expect(told(await guard.beginStep())).toBe("store_unavailable");
    await expect(guard.addLabel("hot")).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(guard.recordCost(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(guard.state()).toMatchObject({ toolCalls: 0, labels: [], cost: 0, steps: 0 });
  });

  it("is not believed where the events were recorded all the same: the call is there, unsettled", async () => {
    const { store, guard } = await guarded();
    store.faults = { append: async (real) => ((await real()) ? foreign('"ok"') : false) };
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
    store.faults = {};
    expect(callIdOf(await guard.propose(PAY))).toBe("call_2");
    expect(guard.state().unsettled).toMatchObject([{ callId: "call_1", status: "running" }, { callId: "call_2" }]);
    expect(guard.state().aggregates).toEqual({ paid: 20 });
  });
});

describe("what a store gives when it is asked for events", () => {
  const event = { kind: "reserved", callId: "call_1", tool: "pay", args: { n: 1 }, isApproved: false };
  const answers: readonly (readonly [string, unknown])[] = [
    ["nothing", null],
    ["no list", { revision: 0, events: "none" }],
    ["a revision that is no number", { revision: "1", events: [event] }],
    ["a revision without its events", { revision: 5, events: [event] }],
    ["a revision before the one asked for", { revision: -1, events: [] }],
    ["an event of an unknown kind", { revision: 1, events: [{ kind: "paid", note: SECRET }] }],
    ["an event whose kind is content", { revision: 1, events: [{ kind: `${SECRET} of ours` }] }],
    ["an event without a field", { revision: 1, events: [{ ...event, callId: undefined }] }],
    ["an event with a field of another type", { revision: 1, events: [{ ...event, tool: [SECRET] }] }],
    ["an event with a field too many", { revision: 1, events: [{ ...event, [SECRET]: 1 }] }],
    ["an event that is no object", { revision: 1, events: [SECRET] }],
    ["a request without arguments", { revision: 1, events: [{ kind: "approval_requested", request: { id: SECRET } }] }],
  ];

  it.each(answers)("is checked: %s", async (_, answer) => {
    const store = new FaultyStore();
    store.faults = { load: async () => foreign(JSON.stringify(answer)) };
    const error = await errorOf(createGuard(artifactOf(PACK), { store, env: {} }));
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it("is named where the kind is a plain name", async () => {
    const store = new FaultyStore();
    store.faults = { load: async () => foreign('{ "revision": 1, "events": [{ "kind": "paid" }] }') };
    const error = await errorOf(createGuard(artifactOf(PACK), { store, env: {} }));
    expect(inspect(error)).toContain("its kind `paid` is not known");
  });

  it("that went back in time blocks", async () => {
    const { store, guard } = await guarded();
    await guard.propose(PAY);
    store.faults = { append: async () => false, load: async () => ({ revision: 0, events: [] }) };
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
  });
});

describe("events that do not fit together", () => {
  const strange = { kind: "settled", callId: "call_9", ending: "committed", sign: "success" } as const;
  const label = { kind: "label_added", label: "hot" } as const;
  const cost = { kind: "cost_recorded", usd: 1 } as const;

  it("are never taken in by halves or twice: the guard blocks until they can be read from the first one", async () => {
    const { store, guard } = await guarded();
    await guard.recordCost(1);
    const sound = (await store.sound.load(SESSION, 0)).events;
    store.faults = {
      append: async () => false,
      load: async () => ({ revision: 4, events: [cost, strange, label] }),
    };
    expect(told(await guard.propose(PAY))).toBe("guard_fault");
    expect(told(await guard.beginStep())).toBe("store_unavailable");
    expect(guard.explain(PAY).map(told)).toEqual(["guard_fault"]);
    expect(guard.visibleTools()).toEqual({ visible: [], hidden: [{ tool: "pay", reason: "guard_fault" }] });
    store.faults = { load: async () => ({ revision: 4, events: [...sound, cost, strange, label] }) };
    expect(told(await guard.propose(PAY))).toBe("guard_fault");
    store.faults = {};
    expect(told(await guard.propose(PAY))).toBe("allow");
    expect(guard.state()).toMatchObject({ cost: 1, labels: [], toolCalls: 1 });
  });

  it("keep a guard from starting", async () => {
    const store = new FaultyStore();
    await store.sound.append(SESSION, 0, [cost, strange]);
    await expect(createGuard(artifactOf(PACK), { sessionId: SESSION, store, env: {} })).rejects.toThrow("applied");
  });
});

describe("a store that does not answer", () => {
  it("ends every call of the guard in time, however many wait for it", async () => {
    const { store, guard } = await guarded();
    store.faults = { append: silence, load: silence };
    const calls = [
      ...Array.from({ length: 20 }, () => guard.propose(PAY)),
      guard.beginStep(),
      guard.resume("approval_1"),
      guard.approve("approval_1", { by: "ann" }),
      guard.deny("approval_1", { by: "ann" }),
    ];
    expect(new Set((await Promise.all(calls)).map(told))).toEqual(new Set(["store_unavailable"]));
    await expect(guard.addLabel("hot")).rejects.toMatchObject({ reason: "store_unavailable" });
    await expect(guard.recordCost(1)).rejects.toMatchObject({ reason: "store_unavailable" });
  });

  it("lets none of those that gave up come true afterwards", async () => {
    const { store, guard } = await guarded();
    const stuck = later<boolean>();
    store.faults = { append: () => stuck.promise };
    const verdicts = await Promise.all([guard.propose(PAY), guard.propose(PAY), guard.propose(PAY)]);
    expect(verdicts.map(told)).toEqual(["store_unavailable", "store_unavailable", "store_unavailable"]);
    stuck.finish(true);
    store.faults = {};
    expect(callIdOf(await guard.propose(PAY))).toBe("call_1");
    expect(store.sound.log(SESSION)).toHaveLength(1);
  });

  it("keeps a guard from starting", async () => {
    const store = new FaultyStore();
    store.faults = { load: silence };
    const made = createGuard(artifactOf(PACK), { store, env: {}, storeTimeoutMs: 20 });
    await expect(made).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it("does not hold a wrapped call whose signal aborts, and what was reserved after all is taken back", async () => {
    const { store, guard } = await guarded({ storeTimeoutMs: 5_000 });
    const stuck = later<void>();
    store.faults = {
      append: async (real) => {
        await stuck.promise;
        return real();
      },
    };
    const abort = new AbortController();
    const sent: string[] = [];
    const call = guard.wrap(async (tool) => sent.push(tool))("pay", { n: 10 }, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    store.faults = {};
    stuck.finish();
    const kinds = () => store.sound.log(SESSION).map(({ kind }) => kind);
    await expect.poll(kinds, { timeout: 10_000 }).toEqual(["reserved", "settled"]);
    expect(sent).toEqual([]);
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [], aggregates: { paid: 0 } });
  });
});

describe("an answer that comes too late", () => {
  it("changes nothing that is known here, and the next decision counts what was recorded", async () => {
    const { store, guard } = await guarded();
    const stuck = later<void>();
    store.faults = {
      append: async (real) => {
        const answer = await real();
        await stuck.promise;
        return answer;
      },
    };
    expect(told(await guard.propose({ tool: "pay", args: { n: 60 } }))).toBe("store_unavailable");
    store.faults = {};
    stuck.finish();
    expect(told(await guard.propose({ tool: "pay", args: { n: 60 } }))).toBe("aggregate_exceeded");
    expect(guard.state().unsettled).toMatchObject([{ callId: "call_1", status: "running" }]);
    expect(await guard.settle("call_1", { kind: "did_not_happen" })).toEqual({ accepted: true });
    expect(told(await guard.propose({ tool: "pay", args: { n: 60 } }))).toBe("allow");
  });

  it("of events that are recorded late does not make them happen twice", async () => {
    const { store, guard } = await guarded();
    const stuck = later<void>();
    store.faults = {
      append: async (real) => {
        await stuck.promise;
        return real();
      },
    };
    expect(told(await guard.propose(PAY))).toBe("store_unavailable");
    store.faults = {};
    const next = guard.propose(PAY);
    stuck.finish();
    expect(told(await next)).toBe("allow");
    const restarted = await createGuard(artifactOf(PACK), { sessionId: SESSION, store, env: {} });
    await guard.beginStep();
    expect(guard.state().unsettled).toEqual(restarted.state().unsettled);
    expect(guard.state().toolCalls).toBe(store.sound.log(SESSION).filter(({ kind }) => kind === "reserved").length);
  });
});

/** Others get in first so many times. */
function conflicts(store: FaultyStore, times: number): void {
  let left = times;
  store.faults = { append: (real) => (left-- > 0 ? Promise.resolve(false) : real()) };
}

describe("others that change the session", () => {
  it("make a proposal be decided again, more than a few times", async () => {
    const { store, guard } = await guarded();
    conflicts(store, 8);
    expect(told(await guard.propose(PAY))).toBe("allow");
  });

  it("make it blocked where they do not stop", async () => {
    const { store, guard } = await guarded();
    store.faults = { append: async () => false };
    expect(told(await guard.propose(PAY))).toBe("store_contended");
    expect(told(await guard.beginStep())).toBe("store_contended");
    await expect(guard.addLabel("hot")).rejects.toMatchObject({ name: "StoreUnavailable", reason: "store_contended" });
    expect(store.appends).toBeLessThan(100);
  });

  it("do not make a slow store take its time again and again", async () => {
    const { store, guard } = await guarded({ storeTimeoutMs: 300 });
    store.faults = { append: () => sleep(150, false) };
    expect(told(await guard.propose(PAY))).toBe("store_contended");
    expect(store.appends).toBeLessThan(4);
  });

  it("do not keep a result from being recorded", async () => {
    const { store, guard } = await guarded({ settleTimeoutMs: 10_000 });
    const callId = callIdOf(await guard.propose(PAY));
    conflicts(store, 20);
    expect(await guard.settle(callId, { kind: "result", output: { ok: true } })).toEqual({ accepted: true });
    expect(guard.state()).toMatchObject({ unsettled: [], aggregates: { paid: 10 } });
  });
});

describe("a settlement that cannot be recorded", () => {
  const output = { receipt: SECRET };
  const faults: readonly (readonly [string, FaultyStore["faults"]])[] = [
    ["others that do not stop", { append: async () => false }],
    ["a store that throws", { append: () => Promise.reject(new Error("down")) }],
    ["a store that answers anything", { append: async () => foreign("1") }],
    ["a store that is silent", { append: silence, load: silence }],
  ];

  it("is reported with what the store said, also where it is silent afterwards", async () => {
    const { store, guard } = await guarded({ storeTimeoutMs: 20, settleTimeoutMs: 200 });
    const callId = callIdOf(await guard.propose(PAY));
    const answers = [() => Promise.reject(Object.assign(new Error(SECRET), { code: "EROFS" }))];
    store.faults = { append: () => (answers.pop() ?? silence)() };
    const error = await errorOf(guard.settle(callId, { kind: "result", output }));
    expect(error).toMatchObject({ cause: { name: "StoreUnavailable", thrown: "EROFS" } });
    expect(store.appends).toBeGreaterThan(2);
  });

  it.each(faults)("gives the result back as executed: %s", async (_, broken) => {
    const { store, guard } = await guarded();
    const callId = callIdOf(await guard.propose(PAY));
    store.faults = broken;
    const error = await errorOf(guard.settle(callId, { kind: "result", output }));
    expect(error).toBeInstanceOf(ExecutedButNotRecorded);
    expect(error).toMatchObject({ name: "ExecutedButNotRecorded", callId, output });
    expect(JSON.stringify(error) + inspect(error)).not.toContain(SECRET);
    expect(guard.state().unsettled).toEqual([{ callId, tool: "pay", status: "running" }]);
    store.faults = {};
    expect(await guard.settle(callId, { kind: "result", output })).toEqual({ accepted: true });
  });

  it.each(faults)("of another kind is reported as one: %s", async (_, broken) => {
    const { store, guard } = await guarded();
    const callId = callIdOf(await guard.propose(PAY));
    store.faults = broken;
    for (const outcome of [
      { kind: "timeout", sent: true },
      { kind: "did_not_happen" },
      { kind: "happened" },
    ] as const) {
      expect(await errorOf(guard.settle(callId, outcome))).toBeInstanceOf(StoreUnavailable);
    }
    expect(guard.state().unsettled).toEqual([{ callId, tool: "pay", status: "running" }]);
  });

  it("reaches the caller of a wrapped function", async () => {
    const { store, guard } = await guarded();
    const call = guard.wrap(async () => {
      store.faults = { append: async () => false };
      return output;
    });
    const error = await errorOf(call("pay", { n: 10 }));
    expect(error).toMatchObject({ name: "ExecutedButNotRecorded", callId: "call_1", output });
  });

  it("is tried again when the store fails for a moment", async () => {
    const { store, guard } = await guarded({ settleTimeoutMs: 10_000 });
    const callId = callIdOf(await guard.propose(PAY));
    let left = 3;
    store.faults = { append: (real) => (left-- > 0 ? Promise.reject(new Error("down")) : real()) };
    expect(await guard.settle(callId, { kind: "result", output })).toEqual({ accepted: true });
  });

  it("counts as accepted where only the answer was lost", async () => {
    const { store, guard } = await guarded({ settleTimeoutMs: 10_000 });
    const callId = callIdOf(await guard.propose(PAY));
    store.faults = {
      append: async (real) => {
        store.faults = {};
        await real();
        throw new Error("connection reset");
      },
    };
    expect(await guard.settle(callId, { kind: "result", output })).toEqual({ accepted: true });
    expect(store.sound.log(SESSION).map(({ kind }) => kind)).toEqual(["reserved", "settled"]);
    expect(await guard.settle(callId, { kind: "happened" })).toEqual({ accepted: false, reason: "already_settled" });
  });

  it("is not accepted if another process reported another outcome meanwhile", async () => {
    const { store, guard } = await guarded({ settleTimeoutMs: 10_000 });
    const callId = callIdOf(await guard.propose(PAY));
    const other: Guard = await createGuard(artifactOf(PACK), { sessionId: SESSION, store: store.sound, env: {} });
    store.faults = {
      append: async () => {
        store.faults = {};
        await other.settle(callId, { kind: "did_not_happen" });
        throw new Error("connection reset");
      },
    };
    const settled = await guard.settle(callId, { kind: "result", output });
    expect(settled).toEqual({ accepted: false, reason: "already_settled" });
  });
});

describe("the time limits of a store", () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5", null])("are milliseconds: %s", async (given) => {
    const ms = foreign(JSON.stringify(given) ?? "null") ?? "none";
    await expect(createGuard(artifactOf(PACK), { env: {}, storeTimeoutMs: ms })).rejects.toThrow(TypeError);
    await expect(createGuard(artifactOf(PACK), { env: {}, settleTimeoutMs: ms })).rejects.toThrow(TypeError);
  });
});
