import { expect, it } from "vitest";
import { memory, propose, team, told } from "./team.js";

it("an approval that is resumed after a late result is used up, and the refusal counts for the circuit breaker", async () => {
  const store = await memory();
  const session = "session_limits: { circuit_breaker: { consecutive_blocks: 2 } }";
  const workflow = await team({ session }, { store });
  const lead = await workflow.start("lead", { sessionId: "lead", approver: "manual" });
  const other = await (await team({ session }, { store })).attach("lead", { approver: "manual" });
  const asked = await lead.guard.propose({ tool: "ask", args: {} });
  if (asked.kind !== "approval_required") throw new Error("it needs no approval");
  expect(await other.guard.approve(asked.approvalId, { by: "ann" })).toMatchObject({ kind: "recorded" });
  const edit = await lead.guard.propose({ tool: "edit", args: {} });
  if (edit.kind !== "allow") throw new Error("it is refused");
  await other.guard.settle(edit.callId, { kind: "did_not_happen" });
  await other.guard.settle(edit.callId, { kind: "result", output: {} });
  expect(await propose(lead, "look")).toBe("late_result_unacknowledged");
  expect(told(await lead.guard.resume(asked.approvalId))).toBe("late_result_unacknowledged");
  expect((await workflow.state()).sessions).toMatchObject([{ status: "killed" }]);
});
