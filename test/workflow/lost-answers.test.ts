import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../src/guard/session/store-errors.js";
import type { Workflow, WorkflowSession } from "../../src/workflow/public.js";
import { LossyStore, type RequestFate } from "../support/lossy-store.js";
import { memory, propose, refusalOf, run, team, WORKFLOW } from "./team.js";

/** Loses so many appends in this way, then none. */
function times(count: number, fate: RequestFate): () => RequestFate {
  let left = count;
  return () => (left-- > 0 ? fate : "pass");
}

async function lossy() {
  const inner = await memory();
  const store = new LossyStore(inner);
  const setting = { shared: "single_writer" };
  const workflow = await team(setting, { store, storeTimeoutMs: 200 });
  const other = await team(setting, { store: inner });
  const lead = await workflow.start("lead", { sessionId: "lead" });
  return { store, workflow, other, lead };
}

/** Everything that a workflow records, and what shows that it was. */
const OPERATIONS: Readonly<
  Record<
    string,
    (workflow: Workflow, lead: WorkflowSession) => { work: () => Promise<unknown>; isDone: (state: unknown) => void }
  >
> = {
  start: (workflow) => ({
    work: () => workflow.start("lead", { sessionId: "new" }),
    isDone: (state) => expect(state).toMatchObject({ sessions: [{}, { id: "new", status: "active" }] }),
  }),
  handoff: (_, lead) => ({
    work: () => lead.handoff("worker", { sessionId: "new", artifacts: { a: 1 } }),
    isDone: (state) => expect(state).toMatchObject({ sessions: [{}, { id: "new", parent: "lead" }], openHandoffs: 1 }),
  }),
  close: (_, lead) => ({
    work: () => lead.close(),
    isDone: (state) => expect(state).toMatchObject({ sessions: [{ status: "closed" }] }),
  }),
  kill: (workflow) => ({
    work: () => workflow.kill({ scope: "workflow", why: "x" }),
    isDone: (state) => expect(state).toMatchObject({ killed: true }),
  }),
  "refused kill": (workflow, lead) => ({
    work: () => refusalOf(workflow.kill({ scope: "subtree", session: lead.id, why: "x" })),
    isDone: (state) => expect(state).toMatchObject({ killed: false }),
  }),
  "kill through the guard": (_, lead) => ({
    work: () => lead.guard.kill("x"),
    isDone: (state) => expect(state).toMatchObject({ sessions: [{ status: "killed" }] }),
  }),
  call: (_, lead) => ({
    work: async () => expect(await run(lead, "edit", { file: "x" })).toBe("allow"),
    isDone: (state) =>
      expect(state).toMatchObject({ totals: { steps: 1 }, resources: [{ key: "x", session: "lead" }] }),
  }),
  cost: (_, lead) => ({
    work: () => lead.guard.recordCost(0.5),
    isDone: (state) => expect(state).toMatchObject({ totals: { cost: 0.5 } }),
  }),
};

describe.each(Object.entries(OPERATIONS))("the answer to a %s", (_, operation) => {
  it.each(["answer lost", "request lost"] as const)("is asked for again while there is time: %s", async (fate) => {
    const { store, workflow, other, lead } = await lossy();
    const { work, isDone } = operation(workflow, lead);
    store.appends = times(2, fate);
    await work();
    isDone(await workflow.state());
    expect(await other.state()).toEqual(await workflow.state());
    // Recorded once, however often it was sent.
    const records = await store.read(`workflow/${WORKFLOW}`, 0, 100);
    expect(new Set(records.map(({ appendId }) => appendId)).size).toBe(records.length);
  });
});

/** A call whose answer is lost is refused, and not rejected. */
const REJECTED = Object.entries(OPERATIONS).filter(([name]) => name !== "call");

describe.each(REJECTED)("the answer to a %s", (name, operation) => {
  it("that never comes leaves it open, and the next one who reads finds it", async () => {
    const { store, workflow, other, lead } = await lossy();
    const { work, isDone } = operation(workflow, lead);
    store.appends = () => "answer lost";
    await expect(work()).rejects.toThrow(name === "refused kill" ? "not refused" : StoreUnavailable);
    store.appends = () => "pass";
    isDone(await other.state());
    isDone(await workflow.state());
  });
});

describe("a start without an answer", () => {
  it("names the session, which can be attached if it has started", async () => {
    const { store, workflow, lead } = await lossy();
    store.appends = () => "answer lost";
    await expect(lead.handoff("worker", { sessionId: "new" })).rejects.toThrow("session `new`");
    store.appends = () => "pass";
    const worker = await workflow.attach("new");
    expect(await propose(worker, "look")).toBe("allow");
    expect(worker.parent).toBe("lead");
  });

  it("leaves nothing where the request never arrived", async () => {
    const { store, workflow, lead } = await lossy();
    store.appends = () => "request lost";
    await expect(lead.handoff("worker", { sessionId: "new" })).rejects.toThrow(StoreUnavailable);
    store.appends = () => "pass";
    await expect(workflow.attach("new")).rejects.toThrow(TypeError);
    await lead.handoff("worker", { sessionId: "new" });
  });
});

describe("a call without an answer", () => {
  it("holds what it touches until it is settled", async () => {
    const { store, workflow, other, lead } = await lossy();
    const rival = await other.start("lead", { sessionId: "rival" });
    await workflow.state();
    store.appends = () => "answer lost";
    expect(await propose(lead, "edit", { file: "x" })).toBe("store_unavailable");
    expect(await propose(rival, "edit", { file: "x" })).toBe("resource_conflict");
    store.appends = () => "pass";
    expect(await propose(lead, "look")).toBe("allow");
    expect(lead.guard.unsettled()).toMatchObject([{ callId: "call_1", origin: "unanswered" }, {}]);
    await lead.guard.settle("call_1", { kind: "did_not_happen" });
    expect(await propose(rival, "edit", { file: "x" })).toBe("allow");
    expect(await workflow.state()).toEqual(await other.state());
  });
});

describe("a store that is away", () => {
  it("refuses calls, and a session that is known to be killed says so", async () => {
    const { store, workflow, lead } = await lossy();
    store.appends = () => "request lost";
    store.loads = () => "request lost";
    expect(await propose(lead, "look")).toBe("store_unavailable");
    await expect(workflow.state()).rejects.toThrow(StoreUnavailable);
    store.appends = () => "pass";
    store.loads = () => "pass";
    await workflow.kill({ scope: "session", session: "lead", why: "x" });
    store.appends = () => "request lost";
    store.loads = () => "request lost";
    expect(await propose(lead, "look")).toBe("session_killed");
  });

  it("does not let a session hand off whose kill is not recorded yet", async () => {
    const { store, workflow, lead } = await lossy();
    store.appends = () => "request lost";
    await expect(lead.guard.kill("stop")).rejects.toThrow(StoreUnavailable);
    store.appends = () => "pass";
    expect((await refusalOf(lead.handoff("worker"))).reason).toBe("session_killed");
    expect((await workflow.state()).totals.sessions).toBe(1);
  });
});

describe("a session that was read before the log of its workflow could not be", () => {
  it("loses nothing of what was read", async () => {
    const { store, other } = await lossy();
    const workflow = await team({ shared: "single_writer" }, { store, storeTimeoutMs: 200 });
    const mine = await workflow.attach("lead", { approver: "manual" });
    const asked = await mine.guard.propose({ tool: "ask", args: {} });
    if (asked.kind !== "approval_required") throw new Error(asked.kind);
    await (await other.attach("lead")).guard.recordCost(0.5);
    let loads = 0;
    store.loads = () => {
      loads += 1;
      return loads === 1 ? "pass" : "request lost";
    };
    expect(await mine.guard.resume(asked.approvalId)).toMatchObject({ reason: "store_unavailable" });
    store.loads = () => "pass";
    await mine.guard.recordCost(1);
    expect(mine.guard.state().cost).toBe(1.5);
    expect((await other.attach("lead")).guard.state()).toEqual(mine.guard.state());
    expect((await workflow.state()).totals.cost).toBe(1.5);
  });
});
