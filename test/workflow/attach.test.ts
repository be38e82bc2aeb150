import { describe, expect, it } from "vitest";
import type { UnsettledCall } from "../../src/guard/public.js";
import { memory, propose, team } from "./team.js";

const SHARED = { shared: "exclusive_pending" };
const EDIT = { tool: "edit", args: { file: "a" } };

describe("a session that another process attaches", () => {
  it("keeps the mode of its start, unless another one is given", async () => {
    const store = await memory();
    const first = await team(SHARED, { store });
    const lead = await first.start("lead", { sessionId: "lead", mode: "shadow" });
    expect(await propose(await lead.handoff("worker"), "edit", { file: "a" })).toBe("allow");
    const attached = async (options = {}) => (await team(SHARED, { store })).attach("lead", options);
    expect(await (await attached()).guard.propose(EDIT)).toMatchObject({
      kind: "allow",
      would: { reason: "resource_conflict" },
    });
    expect(await (await attached({ mode: undefined })).guard.propose(EDIT)).toMatchObject({ kind: "allow" });
    expect(await propose(await attached({ mode: "enforce" }), "edit", { file: "a" })).toBe("resource_conflict");
  });

  it("keeps the requester of its start, who does not approve its calls", async () => {
    const store = await memory();
    const lead = await (await team(SHARED, { store })).start("lead", { sessionId: "lead" });
    await lead.handoff("worker", { sessionId: "worker", requester: "ann" });
    const approvals = { approver: "manual", approvals: { notRequester: true } } as const;
    const { guard } = await (await team(SHARED, { store })).attach("worker", approvals);
    const asked = await guard.propose({ tool: "ask", args: {} });
    const approvalId = asked.kind === "approval_required" ? asked.approvalId : "";
    expect(await guard.approve(approvalId, { by: "ann" })).toMatchObject({ reason: "approver_is_requester" });
    expect(await guard.approve(approvalId, { by: "bob" })).toMatchObject({ kind: "allow" });
  });

  it("is asked about calls that nobody makes any more, and frees what they held", async () => {
    const store = await memory();
    const first = await team(SHARED, { store });
    const lead = await first.start("lead");
    const worker = await lead.handoff("worker", { sessionId: "worker" });
    const other = await lead.handoff("worker");
    const reserved = await worker.guard.propose(EDIT);
    await worker.guard.settle(reserved.kind === "allow" ? reserved.callId : "", { kind: "timeout" });
    expect(await propose(other, "edit", { file: "a" })).toBe("resource_conflict");
    const asked: string[] = [];
    const resolver = async ({ session, tool }: UnsettledCall) => {
      asked.push(`${session} ${tool}`);
      return "did_not_happen" as const;
    };
    await (await team(SHARED, { store })).attach("worker", { resolver });
    expect(asked).toEqual(["worker edit"]);
    expect(await propose(other, "edit", { file: "a" })).toBe("allow");
  });
});
