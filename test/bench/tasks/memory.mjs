import { createGuard } from "../../../dist/guard/guard.js";
import { readArtifact } from "../scenario/guard.mjs";
import { mixedCalls, PRINCIPAL, READY } from "../scenario/traffic.mjs";

const GUARDS = 2000;
const BLOCKED_CALLS = 10_000;

function heapUsed() {
  for (let round = 0; round < 4; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Heap per guard, of many guards that share one artifact and have seen no call. */
async function bytesPerGuard(artifact, principal) {
  const guards = [];
  for (let warmUp = 0; warmUp < 100; warmUp++) await createGuard(artifact, { principal });
  const before = heapUsed();
  for (let at = 0; at < GUARDS; at++) guards.push(await createGuard(artifact, { principal }));
  const after = heapUsed();
  if (guards.some(({ sessionId }) => sessionId === "")) throw new Error("a guard without a session");
  return (after - before) / guards.length;
}

async function block(guard, calls, count) {
  for (let at = 0; at < count; at++) {
    const { tool, args } = calls[at % calls.length];
    const verdict = await guard.propose({ tool, args });
    if (verdict.kind !== "block") throw new Error("a call that should be refused was let through");
  }
}

/** How much a session grows by calls that it refuses. */
async function growthByBlocked(artifact) {
  const guard = await createGuard(artifact, { principal: PRINCIPAL });
  const approval = await guard.propose({ tool: "approve_risk_check", args: {} });
  await guard.settle(approval.callId, { kind: "result", output: {} });
  const refused = mixedCalls().filter(({ session, refusedBy }) => session === READY && refusedBy !== null);
  await block(guard, refused, BLOCKED_CALLS);
  const before = heapUsed();
  await block(guard, refused, BLOCKED_CALLS);
  return heapUsed() - before;
}

export async function measure({ trading, scenario }) {
  return {
    trading: await bytesPerGuard(readArtifact(trading), { department: "finance", type: "trader", tier: "L2" }),
    scenario: await bytesPerGuard(readArtifact(scenario), PRINCIPAL),
    growth: await growthByBlocked(readArtifact(scenario)),
  };
}
