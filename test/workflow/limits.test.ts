import { describe, expect, it } from "vitest";
import { openWorkflow } from "../../src/workflow/public.js";
import { memory, propose, refusalOf, run, team, teamArtifact, told, WORKFLOW } from "./team.js";

const LIMIT = "workflow_limit_exceeded";

describe("max_sessions", () => {
  it("counts all that ever started", async () => {
    const workflow = await team({ limits: "{ max_sessions: 2 }" });
    const lead = await workflow.start("lead");
    const worker = await lead.handoff("worker");
    await worker.close();
    const refused = await refusalOf(lead.handoff("worker"));
    expect(refused).toMatchObject({ reason: LIMIT, required: "at most 2 sessions", found: "2 have started" });
    expect((await refusalOf(workflow.start("lead"))).reason).toBe(LIMIT);
  });
});

describe("max_active_sessions", () => {
  it("counts those that are neither closed nor killed", async () => {
    const workflow = await team({ limits: "{ max_active_sessions: 2 }" });
    const lead = await workflow.start("lead");
    const one = await lead.handoff("worker");
    expect((await refusalOf(lead.handoff("worker"))).required).toBe("at most 2 active sessions");
    await one.close();
    const two = await lead.handoff("worker");
    await two.guard.kill("x");
    await lead.handoff("worker");
    expect((await refusalOf(workflow.start("lead"))).reason).toBe(LIMIT);
  });
});

describe("max_open_handoffs", () => {
  it("counts children, and not roots", async () => {
    const workflow = await team({ limits: "{ max_open_handoffs: 1 }" });
    const lead = await workflow.start("lead");
    const worker = await lead.handoff("worker");
    await workflow.start("lead");
    expect((await refusalOf(worker.handoff("helper"))).required).toBe("at most 1 open handoffs");
    await worker.close();
    await lead.handoff("worker");
  });

  it("does not count a child that was abandoned", async () => {
    const workflow = await team({
      handoffs: "[{ from: lead, to: worker, parent_close_policy: abandon }]",
      limits: "{ max_open_handoffs: 1 }",
    });
    const [one, two] = [await workflow.start("lead"), await workflow.start("lead")];
    const worker = await one.handoff("worker");
    await one.close();
    await two.handoff("worker");
    expect(worker.parent).toBeNull();
    expect((await workflow.state()).openHandoffs).toBe(1);
  });
});

describe("max_total_steps", () => {
  it("counts the steps of all sessions, and gives back those of calls that were not made", async () => {
    const workflow = await team({ limits: "{ max_total_steps: 2 }" });
    const lead = await workflow.start("lead");
    const worker = await lead.handoff("worker");
    expect(await run(lead, "look")).toBe("allow");
    const last = await worker.guard.propose({ tool: "look", args: {} });
    const refused = await lead.guard.propose({ tool: "look", args: {} });
    expect(refused).toMatchObject({ reason: LIMIT, required: "at most 2 steps of all sessions", found: "2 so far" });
    expect(lead.guard.visibleTools().visible).toEqual([]);
    if (last.kind === "allow") await worker.guard.settle(last.callId, { kind: "error", sent: false });
    expect(await run(lead, "look")).toBe("allow");
    expect(told(await worker.guard.beginStep())).toBe(LIMIT);
  });

  it("lets calls go on in a step that is open", async () => {
    const workflow = await team({ limits: "{ max_total_steps: 1 }" });
    const [one, two] = [await workflow.start("lead"), await workflow.start("lead")];
    expect(told(await one.guard.beginStep())).toBe("allow");
    expect(await run(one, "look")).toBe("allow");
    expect(await run(one, "look")).toBe("allow");
    expect(await run(two, "look")).toBe(LIMIT);
    expect(told(await one.guard.beginStep())).toBe(LIMIT);
  });
});

describe("max_total_cost", () => {
  it("is exact, refuses calls and steps at the cap, and no starts", async () => {
    const workflow = await team({ limits: "{ max_total_cost: 0.3 }" });
    const lead = await workflow.start("lead");
    const worker = await lead.handoff("worker");
    await lead.guard.recordCost(0.1);
    expect(await run(worker, "look")).toBe("allow");
    await worker.close();
    await worker.guard.recordCost(0.2);
    expect(await lead.guard.propose({ tool: "look", args: {} })).toMatchObject({
      reason: LIMIT,
      required: "a cost of all sessions below 0.3",
      found: "0.3",
      rule: { file: "workflow.yaml" },
    });
    expect(told(await lead.guard.beginStep())).toBe(LIMIT);
    await lead.handoff("worker");
  });
});

describe("the limits of a workflow", () => {
  it("only record in shadow mode", async () => {
    const workflow = await team({ limits: "{ max_total_steps: 1 }" });
    const lead = await workflow.start("lead", { mode: "shadow" });
    await run(lead, "look");
    const verdict = await lead.guard.propose({ tool: "look", args: {} });
    expect(verdict).toMatchObject({ kind: "allow", would: { reason: LIMIT } });
    expect(await lead.guard.beginStep()).toMatchObject({ kind: "allow", would: { kind: "block", reason: LIMIT } });
  });

  it("are recorded with the start of a session in shadow mode that they would refuse", async () => {
    const store = await memory();
    const workflow = await team({ limits: "{ max_sessions: 1 }" }, { store });
    const lead = await workflow.start("lead", { mode: "shadow" });
    await lead.handoff("worker", { mode: "shadow", sessionId: "shadowed" });
    await lead.handoff("worker", { mode: "log-only", sessionId: "logged" });
    expect((await refusalOf(lead.handoff("worker"))).reason).toBe(LIMIT);
    const records = await store.read(`workflow/${WORKFLOW}`, 0, 10);
    const notes = records.map(({ data }) => JSON.parse(data).note);
    const would = { kind: "block", reason: LIMIT, rule: { file: "workflow.yaml", line: expect.any(Number) } };
    expect(notes).toEqual([
      { workflow: { id: WORKFLOW, name: expect.any(String) } },
      { mode: "shadow", verdict: { kind: "allow", would } },
      undefined,
    ]);
  });

  it("come after the rules of the session and before its checkpoints", async () => {
    const workflow = await team({
      limits: "{ max_total_cost: 1 }",
      session: "policy: { label_gates: [{ when_label: hot, deny_tools: [ask], reason: Hot }] }",
    });
    const lead = await workflow.start("lead", { approver: "manual" });
    await lead.guard.recordCost(1);
    expect(await propose(lead, "ask")).toBe(LIMIT);
    await lead.guard.addLabel("hot");
    const refused = await lead.guard.propose({ tool: "ask", args: {} });
    expect(refused).toMatchObject({ reason: "label_gated" });
    expect(refused.kind === "block" ? refused.hint : "").toContain("used it up together");
    const reasons = lead.guard.explain({ tool: "ask", args: {} }).map(({ reason }) => reason);
    expect(reasons).toEqual(["label_gated", LIMIT]);
  });

  it("hold where several processes want the last place", async () => {
    const store = await memory();
    const artifact = teamArtifact({ limits: "{ max_sessions: 5, max_total_steps: 10 }" });
    const processes = await Promise.all(
      [1, 2, 3, 4].map(() => openWorkflow(artifact, { store, workflowId: WORKFLOW, env: {} })),
    );
    const started = await Promise.allSettled(
      processes.flatMap((workflow) => [1, 2, 3].map(() => workflow.start("lead"))),
    );
    const sessions = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(sessions).toHaveLength(5);
    const verdicts = await Promise.all(sessions.flatMap((session) => [1, 2, 3].map(() => propose(session, "look"))));
    expect(verdicts.filter((verdict) => verdict === "allow")).toHaveLength(10);
    expect(verdicts.filter((verdict) => verdict === LIMIT)).toHaveLength(5);
  });
});
