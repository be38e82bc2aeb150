import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Verdict } from "../../src/guard/public.js";
import { artifactOf } from "../support/guard-artifact.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => Promise<void> = runInNewContext("() => gc({ execution: 'async' })");

const PACK = `
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: always, timeout_seconds: 60, context: [{ label: note, path: $.note }] }
`;

/** More than are kept for callers that make their calls late. */
const MANY = 4000;

async function heapUsed(): Promise<number> {
  for (let round = 0; round < 3; round++) await collectGarbage();
  return process.memoryUsage().heapUsed;
}

// What a session keeps on purpose grows meanwhile: how the last 10,000 approvals ended, and under which keys calls were made.
it.each([
  ["denied", 3_000_000],
  ["approved and not made", 6_000_000],
])("calls that wait for an approval do not add up in the memory: %s", { timeout: 120_000 }, async (end, mostBytes) => {
  const guard = await createGuard(artifactOf(PACK), { env: {}, approver: "manual" });
  const idOf = (verdict: Verdict) => (verdict.kind === "approval_required" ? verdict.approvalId : "");
  let made = 0;
  const many = async () => {
    for (let count = 0; count < MANY; count++) {
      const id = String(++made);
      const call = { tool: "pay", args: { note: id.padEnd(1000, "n") }, callKey: id, wrapped: true } as const;
      const approvalId = idOf(await guard.propose(call));
      const answer = { by: "ann" };
      const answered = end === "denied" ? guard.deny(approvalId, answer) : guard.approve(approvalId, answer);
      const verdict = await answered;
      if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "error", sent: false });
    }
  };
  await many();
  const before = await heapUsed();
  await many();
  expect((await heapUsed()) - before).toBeLessThan(mostBytes);
});
