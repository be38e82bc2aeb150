import { describe, expect, it } from "vitest";
import { openWorkflow } from "../../src/workflow/public.js";
import { memory, propose, run, team, teamArtifact, told, WORKFLOW } from "./team.js";

describe("a workflow", () => {
  it("starts sessions, hands off, closes", async () => {
    const workflow = await team({ shared: "single_writer" });
    const lead = await workflow.start("lead", { sessionId: "a" });
    expect(lead).toMatchObject({ id: "a", role: "lead", parent: null, artifacts: {} });
    const worker = await lead.handoff("worker", { artifacts: { task: { n: 1 } }, sessionId: "b" });
    expect(worker).toMatchObject({ id: "b", role: "worker", parent: "a", artifacts: { task: { n: 1 } } });
    expect(await run(worker, "edit", { file: "x" })).toBe("allow");
    expect(await run(lead, "edit", { file: "x" })).toBe("resource_conflict");
    await lead.guard.recordCost(0.1);
    await worker.guard.recordCost(0.2);
    expect(await workflow.state()).toEqual({
      killed: false,
      sessions: [
        { id: "a", role: "lead", parent: null, status: "active", steps: 0, cost: 0.1 },
        { id: "b", role: "worker", parent: "a", status: "active", steps: 1, cost: 0.2 },
      ],
      openHandoffs: 1,
      totals: { sessions: 2, active: 2, steps: 1, cost: 0.3 },
      resources: [{ alias: "file", key: "x", mode: "single_writer", session: "b" }],
    });
    await worker.close();
    expect(await propose(worker, "look")).toBe("session_closed");
    expect(await run(lead, "edit", { file: "x" })).toBe("allow");
    await worker.close();
    await lead.close();
    expect((await workflow.state()).totals).toEqual({ sessions: 2, active: 0, steps: 2, cost: 0.3 });
  });

  it("is shared by all that open it", async () => {
    const store = await memory();
    const artifact = teamArtifact();
    const [one, two] = await Promise.all(
      [1, 2].map(() => openWorkflow(artifact, { store, workflowId: WORKFLOW, env: {} })),
    );
    const lead = await one?.start("lead", { sessionId: "a" });
    await lead?.handoff("worker", { sessionId: "b", artifacts: { list: [1, null] } });
    const attached = await two?.attach("b");
    expect(attached).toMatchObject({ id: "b", role: "worker", parent: "a", artifacts: { list: [1, null] } });
    expect(attached === undefined ? null : await run(attached, "edit", { file: 1 })).toBe("allow");
    await lead?.close();
    expect(attached === undefined ? null : await propose(attached, "look")).toBe("cancel_requested");
    expect(told(await (attached?.guard.beginStep() ?? Promise.reject()))).toBe("cancel_requested");
    await two?.kill({ scope: "workflow", why: "enough" });
    await expect(one?.start("lead")).rejects.toMatchObject({ verdict: { reason: "workflow_killed", found: "enough" } });
    expect(attached === undefined ? null : await propose(attached, "look")).toBe("workflow_killed");
    expect(lead?.guard.state().killed).toBe(true);
    expect(attached?.guard.state().killed).toBe(true);
  });
});
