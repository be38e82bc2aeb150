import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { SessionEvent } from "../../src/guard/session/event.js";
import type { SessionStore } from "../../src/guard/session/store.js";
import { memoryStore } from "../../src/stores/memory.js";
import { FaultyStore } from "../support/faulty-store.js";
import { artifactOf } from "../support/guard-artifact.js";
import { payGuard } from "../support/guard-calls.js";
import { told } from "../support/guard-steps.js";

const PACK = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.order.n, lte: 100, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.order.n, gte: 50 }], timeout_seconds: 60, context: [{ path: $.order, label: Order }] }
binds: [{ name: order, source: arguments, path: $.order }]
#== look.yaml (with the required fields)
assertions:
  input_invariants: [{ path: $.q, length_lte: 3 }]
  output_invariants: [{ path: $.ok, equals: true }]
`;
const SMALL = { tool: "pay", args: { order: { n: 40 } } };
const LARGE = { tool: "pay", args: { order: { n: 60 } } };

/** Changes everything in a value that can be changed, down to the last. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    spoil(item);
    if (typeof item === "object" && item !== null) continue;
    Reflect.set(value, key, typeof item === "number" ? 1 : "spoilt");
  }
}

/** A store that ruins whatever it was given or gave, once it has it. */
function spoilingStore(): SessionStore {
  const inner = memoryStore();
  return {
    async load(sessionId, after) {
      const loaded = await inner.load(sessionId, after);
      // After the guard has taken it in.
      setImmediate(() => spoil(loaded.events));
      return loaded;
    },
    async append(sessionId, revision, events) {
      const isAdded = await inner.append(sessionId, revision, events);
      spoil(events);
      return isAdded;
    },
  };
}

describe("what an approver gets", () => {
  it("is a copy: changing it changes nothing that is judged or counted", async () => {
    const guard = await createGuard(artifactOf(PACK), {
      env: {},
      approver: async (request) => {
        spoil(request);
        return { decision: "approve", by: "ann" };
      },
    });
    expect(told(await guard.propose(LARGE))).toBe("allow");
    expect(guard.state().aggregates).toEqual({ paid: 60 });
    expect(told(await guard.propose(LARGE))).toBe("aggregate_exceeded");
  });

  it("by hand is a copy too, each time it is returned", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, approver: "manual" });
    const asked = await guard.propose(LARGE);
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    spoil(asked);
    const again = await guard.resume(approvalId);
    expect(again).toMatchObject({ context: [{ label: "Order", value: { n: 60 } }], rules: [{ file: "pay.yaml" }] });
    spoil(again);
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("allow");
    expect(guard.state().aggregates).toEqual({ paid: 60 });
  });
});

describe("an output that is reported", () => {
  const judged = "assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }";

  it.each(["result", "happened"] as const)("is judged as it was then, whatever becomes of it: %s", async (kind) => {
    const store = new FaultyStore();
    const guard = await payGuard(judged, { store });
    await guard.propose({ tool: "pay", args: { amount: 1 } });
    const output = { ok: false };
    store.faults.append = async () => {
      store.faults = {};
      output.ok = true;
      return false;
    };
    const settled = await guard.settle("call_1", { kind, output });
    expect(settled).toMatchObject({ accepted: true, violation: { reason: "output_invariant_failed" } });
  });
});

describe("what a store gets and gives", () => {
  it("is a copy: a store that ruins it changes nothing that is judged or counted", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, store: spoilingStore(), approver: "manual" });
    const first = await guard.propose(SMALL);
    expect(guard.state().aggregates).toEqual({ paid: 40 });
    await guard.settle(first.kind === "allow" ? first.callId : "", { kind: "result", output: {} });
    expect(guard.state().bindings).toEqual({ order: { n: 40 } });
    const asked = await guard.propose(LARGE);
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("allow");
    expect(guard.state().aggregates).toEqual({ paid: 100 });
  });

  it("is its own: events read from a store in memory are copies", async () => {
    const store = memoryStore();
    const event: SessionEvent = {
      kind: "reserved",
      callId: "call_1",
      tool: "pay",
      args: { order: { n: 40 } },
      isApproved: false,
    };
    await store.append("s", 0, [event]);
    spoil(event);
    spoil((await store.load("s", 0)).events);
    const guard = await createGuard(artifactOf(PACK), { env: {}, store, sessionId: "s" });
    expect(guard.state().aggregates).toEqual({ paid: 40 });
  });

  it("is taken in as a copy: events that change later are not what happened", async () => {
    const store = spoilingStore();
    const options = { env: {}, store, sessionId: "s" };
    await (await createGuard(artifactOf(PACK), options)).propose(SMALL);
    const guard = await createGuard(artifactOf(PACK), options);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(guard.state().aggregates).toEqual({ paid: 40 });
  });
});

describe("what callers and listeners get", () => {
  it("is a copy: rules stay where they are", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, approver: "manual" });
    for (const name of ["decision", "settled", "approval_requested"] as const) guard.on(name, spoil);
    const call = { tool: "look", args: { q: "much too long" } };
    const rule = { file: "look.yaml", line: 2 };
    for (let time = 0; time < 2; time++) {
      const refused = await guard.propose(call);
      expect(refused).toMatchObject({ reason: "input_invariant_failed", rule });
      spoil(refused);
      const [explained] = guard.explain(call);
      expect(explained).toMatchObject({ rule });
      spoil(explained);
    }
    for (let time = 0; time < 2; time++) {
      const allowed = await guard.propose({ tool: "look", args: { q: "x" } });
      const settled = await guard.settle(allowed.kind === "allow" ? allowed.callId : "", {
        kind: "result",
        output: {},
      });
      expect(settled.violation).toMatchObject({ rule: { file: "look.yaml", line: 3 } });
      spoil(settled);
    }
    const asked = await guard.propose(LARGE);
    expect(asked).toMatchObject({ rules: [{ file: "pay.yaml", line: 2 }] });
  });

  it("is a copy: the state of a session", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    const allowed = await guard.propose(SMALL);
    await guard.settle(allowed.kind === "allow" ? allowed.callId : "", { kind: "result", output: {} });
    const before = guard.state();
    spoil(before);
    expect(guard.state()).toMatchObject({ bindings: { order: { n: 40 } }, aggregates: { paid: 40 } });
  });
});
