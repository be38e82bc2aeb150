import { describe, expect, it } from "vitest";
import { verifyStore } from "../../src/audit/verify-store.js";
import { openWorkflow, type WorkflowSession } from "../../src/workflow/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { memory, told, WORKFLOW } from "./team.js";

function packOf(role: string): string {
  return `
#== packs/${role}/session.yaml (with the required fields)
schema_version: "1.1"
resources: { file: { type: file, extract_from: { path: $.file } } }
session_limits: { max_calls_per_step: 2 }
slot_limits: { owner: 2 }
aggregates: [{ name: size, metric: sum, tool: edit, path: $.size, per: $.file, lte: 10, reason: Ten for each file }]
#== packs/${role}/look.yaml (with the required fields)
side_effect: read
binds: [{ name: owner, source: output, path: $.owner, key: { source: arguments, path: $.file } }]
#== packs/${role}/edit.yaml (with the required fields)
side_effect: write
requires: [{ that: 'args.file in slots.owner && slots.owner[args.file] == "ann"', reason: Files of Ann only }]
checkpoint: { when: always, timeout_seconds: 600 }
unbinds: [{ name: owner, key: $.file }]
`;
}

const ARTIFACT = artifactOf(`
#== workflow.yaml (with the required fields)
roles:
  - { name: lead, session_contract: packs/lead/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
handoffs: [{ from: lead, to: worker, parent_close_policy: request_cancel }]
shared_resources: [{ alias: file, mode: single_writer }]
${packOf("lead")}${packOf("worker")}`);

/** Two workers, of which the first is attached in another process too. */
async function workers() {
  const store = await memory();
  const open = () => openWorkflow(ARTIFACT, { store, workflowId: WORKFLOW, env: {} });
  const [first, second] = [await open(), await open()];
  const lead = await first.start("lead", { sessionId: "lead" });
  const one = await lead.handoff("worker", { sessionId: "one", approver: "manual" });
  const two = await lead.handoff("worker", { sessionId: "two", approver: "manual" });
  const there = await second.attach("one", { approver: "manual" });
  return { store, workflow: second, lead, one, two, there };
}

async function look({ guard }: WorkflowSession, file: string): Promise<string> {
  const verdict = await guard.propose({ tool: "look", args: { file } });
  if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output: { owner: "ann" } });
  return told(verdict);
}

async function edit({ guard }: WorkflowSession, file: string, callKey: string) {
  const args = { file, size: 6 };
  const verdict = await guard.propose({ tool: "edit", args, callKey, wrapped: true });
  const approvalId = verdict.kind === "approval_required" ? verdict.approvalId : "";
  return { args, approvalId, said: told(verdict), options: { callKey, reserved: approvalId } };
}

describe("sessions of a workflow under language 1.1", () => {
  it("share steps, keyed slots and sums between processes, and their resources with others", async () => {
    const { store, workflow, one, two, there } = await workers();
    await one.guard.beginStep();
    expect([await look(one, "a"), await look(there, "b"), await look(one, "c")]).toEqual([
      ...["allow", "allow", "session_limit_exceeded"],
    ]);
    await there.guard.beginStep();
    // The third key makes the slot forget the first one.
    await look(one, "c");
    expect((await edit(there, "a", "1")).said).toBe("requirement_unjudgeable");
    const waiting = await edit(there, "c", "2");
    expect(waiting.said).toBe("approval_required");
    expect((await workflow.state()).resources).toEqual([]);
    // Recorded through one process, sent by the other.
    expect(await one.guard.approve(waiting.approvalId, { by: "bob" })).toMatchObject({ kind: "recorded" });
    const held: unknown[] = [];
    const call = there.guard.wrap(async () => {
      held.push((await workflow.state()).resources);
      return {};
    });
    await call("edit", waiting.args, waiting.options);
    expect(held).toEqual([[{ alias: "file", key: "c", mode: "single_writer", session: "one" }]]);
    await expect(call("edit", waiting.args, waiting.options)).rejects.toMatchObject({
      verdict: { reason: "call_key_used" },
    });
    await look(two, "c");
    expect((await edit(two, "c", "1")).said).toBe("resource_conflict");
    await one.guard.beginStep();
    // The edit has unbound its file.
    expect((await edit(one, "c", "3")).said).toBe("requirement_unjudgeable");
    await look(there, "c");
    expect((await edit(one, "c", "4")).said).toBe("aggregate_exceeded");
    expect(await verifyStore(store)).toMatchObject({ ok: true, problems: [] });
  });

  it.each([
    ["session_closed", ({ there }: Awaited<ReturnType<typeof workers>>) => there.close()],
    ["cancel_requested", ({ lead }: Awaited<ReturnType<typeof workers>>) => lead.close()],
    [
      "workflow_killed",
      ({ workflow }: Awaited<ReturnType<typeof workers>>) => workflow.kill({ scope: "workflow", why: "enough" }),
    ],
  ] as const)("do not send what was proposed for a wrapped call before the end: %s", async (reason, end) => {
    const all = await workers();
    const { one, workflow } = all;
    await look(one, "a");
    const waiting = await edit(one, "a", "1");
    const sent: unknown[] = [];
    const sending = one.guard.wrap(async (_, args) => sent.push(args))("edit", waiting.args, waiting.options);
    await Promise.all([expect(sending).rejects.toMatchObject({ verdict: { reason } }), end(all)]);
    expect(sent).toEqual([]);
    expect(await one.guard.approve(waiting.approvalId, { by: "bob" })).toMatchObject({ kind: "block" });
    expect((await workflow.state()).resources).toEqual([]);
  });
});
