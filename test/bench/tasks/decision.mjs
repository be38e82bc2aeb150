import { performance } from "node:perf_hooks";
import { createGuard } from "../../../dist/guard/guard.js";
import { median } from "../measure.mjs";
import { nanosecondsPerDecision } from "../scenario/decisions.mjs";
import { guardEngine, readArtifact } from "../scenario/guard.mjs";
import { handWrittenEngine } from "../scenario/hand-written.mjs";
import { allowedCalls, mixedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

/** The guard and the hand-written function with the same calls, on sessions that are new to both. */
function contestants(artifact, calls, work) {
  return {
    guard: { engine: guardEngine(artifact, { work }), calls },
    handWritten: { engine: handWrittenEngine({ work }), calls },
  };
}

/** Median nanoseconds of an awaited `guard.propose`, one call after the other. */
async function awaitedPropose(artifact, calls) {
  const guard = await createGuard(artifact, { principal: PRINCIPAL });
  const approval = await guard.propose({ tool: "approve_risk_check", args: {} });
  await guard.settle(approval.callId, { kind: "result", output: {} });
  const times = [];
  for (let round = -100; round < 101; round++) {
    let elapsed = 0;
    for (const { tool, args } of calls) {
      const start = performance.now();
      const { callId } = await guard.propose({ tool, args });
      elapsed += performance.now() - start;
      const { accepted } = await guard.settle(callId, { kind: "result", output: {} });
      if (!accepted) throw new Error("a call of traffic A was not allowed");
    }
    if (round >= 0) times.push((elapsed * 1e6) / calls.length);
  }
  return median(times);
}

export async function measure({ artifact: text }) {
  const artifact = readArtifact(text);
  const allowed = allowedCalls();
  return {
    allowed: nanosecondsPerDecision(contestants(artifact, allowed, "core")),
    copying: nanosecondsPerDecision(contestants(artifact, allowed, "copying")),
    judging: nanosecondsPerDecision(contestants(artifact, allowed, "judging")),
    mixed: nanosecondsPerDecision(contestants(artifact, mixedCalls(), "core")),
    awaited: await awaitedPropose(artifact, allowed),
  };
}
