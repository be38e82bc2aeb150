import { describe, expect, it } from "vitest";
import type { Workflow, WorkflowSession } from "../../src/workflow/public.js";
import { propose, refusalOf, team, told } from "./team.js";

const POLICIES = ["request_cancel", "terminate", "abandon"] as const;
type Policy = (typeof POLICIES)[number];

/** How the lead ends. */
const ENDS: Readonly<Record<string, (workflow: Workflow, lead: WorkflowSession) => Promise<void>>> = {
  "is closed": (_, lead) => lead.close(),
  "is killed by its guard": (_, lead) => lead.guard.kill("stop"),
  "is killed through the workflow": (workflow, { id: session }) =>
    workflow.kill({ scope: "session", session, why: "x" }),
  "is killed by its circuit breaker": async (_, { guard }) => {
    for (let n = 0; n < 3; n += 1) await guard.propose({ tool: "ghost", args: {} });
  },
};

/** What becomes of a worker, and of its helper, under the policies of their handoffs. */
const OUTCOMES: Readonly<
  Record<Policy, readonly [status: string, parent: string | null, call: string, helper: string]>
> = {
  request_cancel: ["cancel_requested", "lead", "cancel_requested", "active"],
  terminate: ["killed", "lead", "session_killed", "killed"],
  abandon: ["active", null, "allow", "active"],
};

async function chain(own: Policy | null, byDefault: Policy | null, helpers: Policy = "abandon") {
  const policy = own === null ? "" : `, parent_close_policy: ${own}`;
  const workflow = await team({
    handoffs: `[{ from: lead, to: worker${policy} }, { from: worker, to: helper, parent_close_policy: ${helpers} }]`,
    rest: byDefault === null ? "" : `parent_close_policy: { default: ${byDefault} }`,
    session: "session_limits: { circuit_breaker: { consecutive_blocks: 3 } }",
  });
  const lead = await workflow.start("lead", { sessionId: "lead" });
  const worker = await lead.handoff("worker", { sessionId: "worker" });
  const helper = await worker.handoff("helper", { sessionId: "helper" });
  return { workflow, lead, worker, helper };
}

describe.each(Object.entries(ENDS))("when the parent %s", (_, end) => {
  it.each(POLICIES)("%s decides about the child", async (policy) => {
    const { workflow, lead, worker, helper } = await chain(policy, null);
    await end(workflow, lead);
    const [status, parent, call, ofHelper] = OUTCOMES[policy];
    const { sessions, openHandoffs } = await workflow.state();
    expect(sessions[1]).toMatchObject({ status, parent });
    expect(sessions[2]).toMatchObject({ status: ofHelper, parent: "worker" });
    expect(worker.parent).toBe(parent);
    expect(openHandoffs).toBe({ request_cancel: 2, terminate: 0, abandon: 1 }[policy]);
    expect(await propose(worker, "look")).toBe(call);
    expect(await propose(helper, "look")).toBe(ofHelper === "killed" ? "session_killed" : "allow");
  });

  it("the policy of the handoff comes before the default, and that before request_cancel", async () => {
    for (const [own, byDefault, status] of [
      ["abandon", "terminate", "active"],
      [null, "terminate", "killed"],
      [null, null, "cancel_requested"],
    ] as const) {
      const { workflow, lead } = await chain(own, byDefault);
      await end(workflow, lead);
      expect((await workflow.state()).sessions[1]?.status).toBe(status);
    }
  });
});

describe("a session that was asked to end", () => {
  it("settles what is running, and asks its own children when it ends itself", async () => {
    const { workflow, lead, worker, helper } = await chain("request_cancel", null, "request_cancel");
    const running = await worker.guard.propose({ tool: "look", args: {} });
    await lead.close();
    expect(await propose(helper, "look")).toBe("allow");
    if (running.kind === "allow") {
      expect(await worker.guard.settle(running.callId, { kind: "result", output: {} })).toEqual({ accepted: true });
    }
    await worker.guard.recordCost(1);
    await worker.close();
    expect(await propose(helper, "look")).toBe("cancel_requested");
    await helper.close();
    expect(await workflow.state()).toMatchObject({ totals: { active: 0, cost: 1 }, openHandoffs: 0 });
  });

  it("may not begin a step, hand off, or show tools", async () => {
    const { lead, worker } = await chain("request_cancel", null);
    await lead.close();
    expect(told(await worker.guard.beginStep())).toBe("cancel_requested");
    expect((await refusalOf(worker.handoff("helper"))).reason).toBe("cancel_requested");
    expect(worker.guard.visibleTools()).toMatchObject({
      visible: [],
      hidden: [{ reason: "cancel_requested" }, {}, {}, {}],
    });
    expect(worker.guard.state().killed).toBe(false);
    expect(worker.guard.explain({ tool: "look", args: {} })).toMatchObject([{ reason: "cancel_requested" }]);
  });

  it.each(["shadow", "log-only"] as const)("is kept to that in %s mode too", async (mode) => {
    const { workflow } = await chain(null, null);
    const session = await workflow.start("lead", { mode });
    await session.close();
    expect(await propose(session, "look")).toBe("session_closed");
    expect(told(await session.guard.beginStep())).toBe("session_closed");
  });

  it.each(["request_cancel", "terminate"] as const)(
    "learns of it while it waits for an approval: %s",
    async (policy) => {
      const { lead } = await chain(policy, null);
      const asked: string[] = [];
      const waiting = await lead.handoff("worker", {
        approver: (request) => {
          asked.push(request.approvalId);
          return new Promise(() => undefined);
        },
      });
      const manual = await lead.handoff("worker", { approver: "manual" });
      const calls = [waiting, manual].map(({ guard }) => guard.wrap(async () => ({}))("ask", {}));
      const ended = Promise.allSettled(calls);
      await expect.poll(() => asked.length).toBe(1);
      await expect.poll(() => manual.guard.visibleTools().hidden.length).toBe(4);
      await lead.close();
      const reason = policy === "terminate" ? "session_killed" : "cancel_requested";
      for (const result of await ended) expect(result).toMatchObject({ reason: { verdict: { reason } } });
    },
  );
});

describe("a kill", () => {
  it("of a subtree ends a session and all below, whatever their policies say", async () => {
    const workflow = await team({
      handoffs:
        "[{ from: lead, to: worker, parent_close_policy: abandon }, { from: worker, to: helper, parent_close_policy: abandon }]",
      rest: "cancellation: { subtree_kill: true }",
    });
    const lead = await workflow.start("lead", { sessionId: "lead" });
    const worker = await lead.handoff("worker", { sessionId: "worker" });
    await worker.handoff("helper", { sessionId: "helper" });
    const other = await workflow.start("lead", { sessionId: "other" });
    await workflow.kill({ scope: "subtree", session: "worker", why: "x" });
    expect((await workflow.state()).sessions.map(({ status }) => status)).toEqual([
      "active",
      "killed",
      "killed",
      "active",
    ]);
    expect(await propose(other, "look")).toBe("allow");
  });

  it("of a subtree needs `subtree_kill`, and its refusal is recorded", async () => {
    const { workflow, lead } = await chain(null, null);
    const refused = await refusalOf(workflow.kill({ scope: "subtree", session: lead.id, why: "x" }));
    expect(refused).toMatchObject({ reason: "kill_not_permitted", rule: { file: "workflow.yaml" } });
    expect(await propose(lead, "look")).toBe("allow");
  });

  it("of the workflow ends everything and lets nothing start", async () => {
    const { workflow, lead, worker } = await chain(null, null);
    await worker.close();
    const killed: unknown[] = [];
    lead.guard.on("killed", (event) => killed.push(event));
    await workflow.kill({ scope: "workflow", why: "enough" });
    expect(killed).toEqual([{ why: "enough", cause: "workflow" }]);
    expect((await workflow.state()).sessions.map(({ status }) => status)).toEqual(["killed", "closed", "killed"]);
    expect(await propose(lead, "look")).toBe("workflow_killed");
    expect(await propose(worker, "look")).toBe("workflow_killed");
    expect(lead.guard.state().killed).toBe(true);
    expect((await refusalOf(workflow.start("lead"))).reason).toBe("workflow_killed");
    expect((await refusalOf(lead.handoff("worker"))).reason).toBe("workflow_killed");
    await workflow.kill({ scope: "workflow", why: "again" });
    expect((await refusalOf(workflow.start("lead"))).found).toBe("enough");
  });

  it("of the workflow needs an operator where workflow.yaml says so", async () => {
    const workflow = await team({ rest: "cancellation: { workflow_kill: operator_only }" });
    const lead = await workflow.start("lead");
    const refused = await refusalOf(workflow.kill({ scope: "workflow", why: "x" }));
    expect(refused).toMatchObject({
      reason: "kill_not_permitted",
      required: "a kill by an operator",
      found: "no operator",
    });
    await workflow.kill({ scope: "session", session: lead.id, why: "x" });
    await workflow.kill({ scope: "workflow", why: "x", operator: "ann" });
    expect((await workflow.state()).killed).toBe(true);
  });

  it("does not send a call that was allowed before", async () => {
    const { workflow, lead } = await chain(null, null);
    const proposed = lead.guard.propose({ tool: "look", args: {} });
    const killed = workflow.kill({ scope: "workflow", why: "x" });
    expect(told(await proposed)).toMatch(/^(allow|workflow_killed)$/);
    await killed;
    let sent = 0;
    const call = lead.guard.wrap(async () => {
      sent += 1;
    });
    await expect(call("look", {})).rejects.toMatchObject({ verdict: { reason: "workflow_killed" } });
    expect(sent).toBe(0);
  });

  it.each([
    [{ scope: "planet", why: "x" }],
    [{ scope: "session", why: "x" }],
    [{ scope: "session", session: "nobody", why: "x" }],
    [{ scope: "workflow", why: "x", operator: " " }],
    [null],
  ])("of nothing is a TypeError: %j", async (kill) => {
    const workflow = await team();
    await expect(workflow.kill(JSON.parse(JSON.stringify(kill)))).rejects.toThrow(TypeError);
  });
});
