import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import type { Workflow } from "../../src/workflow/public.js";
import { memory, propose, team } from "./team.js";

const TEAM = { shared: "single_writer", rest: "cancellation: { subtree_kill: true }" };

/** A store that is gone at a request: before it arrives, or before it is answered. From then on nothing arrives. */
class DyingStore {
  requests = 0;
  readonly store: DurableStore;

  constructor(inner: DurableStore, dies: { readonly at: number; readonly isRecorded: boolean }) {
    const gone = () => Promise.reject(new Error("gone"));
    this.store = new Proxy(inner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "append" && name !== "load" && name !== "list") return value.bind(target);
        return async (...given: unknown[]) => {
          this.requests += 1;
          if (this.requests > dies.at || (this.requests === dies.at && !dies.isRecorded)) return gone();
          const answer: unknown = await Reflect.apply(value, target, given);
          return this.requests >= dies.at ? gone() : answer;
        };
      },
    });
  }
}

/** The life of a workflow, as far as its store lives. */
async function life(workflow: Workflow): Promise<void> {
  const lead = await workflow.start("lead", { sessionId: "lead" });
  const worker = await lead.handoff("worker", { sessionId: "worker", artifacts: { task: 1 } });
  const edit = await worker.guard.propose({ tool: "edit", args: { file: "x" } });
  await lead.guard.beginStep();
  await lead.guard.recordCost(0.25);
  if (edit.kind === "allow") await worker.guard.settle(edit.callId, { kind: "result", output: {} });
  await worker.guard.propose({ tool: "edit", args: { file: "y" } });
  await worker.handoff("helper", { sessionId: "helper" });
  await lead.close();
  await workflow.kill({ scope: "subtree", session: "worker", why: "x" });
}

async function requestsOfLife(): Promise<number> {
  const dying = new DyingStore(await openStore("memory:"), { at: Number.POSITIVE_INFINITY, isRecorded: true });
  await life(await team(TEAM, { store: dying.store }));
  return dying.requests;
}

/** Both logs of a store say the same: each session that has started has its log, and nobody else has. */
async function expectConsistent(store: DurableStore, workflow: Workflow): Promise<void> {
  const { sessions, totals } = await workflow.state();
  const streams = await store.list({ prefix: "session/" });
  expect(streams.map(({ stream }) => stream).sort()).toEqual(sessions.map(({ id }) => `session/${id}`).sort());
  const states = await Promise.all(
    sessions.map(async ({ id, steps, cost }) => {
      const { guard } = await workflow.attach(id);
      const state = guard.state();
      expect({ id, steps: state.steps, cost: state.cost }).toEqual({ id, steps, cost });
      return state;
    }),
  );
  expect(totals.steps).toBe(states.reduce((sum, { steps }) => sum + steps, 0));
}

const REQUESTS = await requestsOfLife();
const POINTS = Array.from({ length: REQUESTS }, (_, index) => index + 1).flatMap((at) =>
  [true, false].map((isRecorded) => ({ at, isRecorded })),
);

describe("a process that dies", () => {
  it("has that many requests to die at", () => {
    expect(REQUESTS).toBeGreaterThan(12);
  });

  it.each(POINTS)("leaves one truth for the next: at request $at, recorded: $isRecorded", async (dies) => {
    const inner = await memory();
    const dying = new DyingStore(inner, dies);
    const lived = (async () =>
      life(await team(TEAM, { store: dying.store, storeTimeoutMs: 40, settleTimeoutMs: 40 })))();
    await lived.catch((cause: unknown) => cause);
    const workflow = await team(TEAM, { store: inner });
    await expectConsistent(inner, workflow);
    const { sessions, resources, killed } = await workflow.state();
    expect(killed).toBe(false);
    // A call that was left keeps what it holds, until it is settled by whomever.
    const rival = await workflow.start("lead", { sessionId: "rival" });
    for (const { key } of resources) expect(await propose(rival, "edit", { file: key })).toBe("resource_conflict");
    for (const { id } of sessions) {
      const session = await workflow.attach(id);
      for (const { callId } of session.guard.unsettled()) await session.guard.settle(callId, { kind: "happened" });
      await session.close();
    }
    for (const { key } of resources) expect(await propose(rival, "edit", { file: key })).toBe("allow");
    await expectConsistent(inner, workflow);
  });
});
