import { openStore } from "../../../dist/stores/open-store.js";
import { openWorkflow } from "../../../dist/workflow/public.js";
import { CallCycle, OUTPUT, readyGuard } from "../durable/session.mjs";
import { medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

const CALLS = 16;
const ROUNDS = { warmUps: 300, turns: 601, pauseMs: 0 };

/** A turn: so many calls are proposed one after the other, and settled afterwards, which is not timed. */
function proposals(guard) {
  const cycle = new CallCycle(allowedCalls());
  return async () => {
    const calls = cycle.take(CALLS);
    const verdicts = [];
    const start = performance.now();
    for (const { tool, args } of calls) verdicts.push(await guard.propose({ tool, args }));
    const elapsed = performance.now() - start;
    for (const { callId, kind } of verdicts) {
      if (kind !== "allow") throw new Error("a call of the scenario was not allowed");
      await guard.settle(callId, { kind: "result", output: OUTPUT });
    }
    return (elapsed * 1e6) / CALLS;
  };
}

/** The guard of a session that was handed off to, on accounts that it shares with the session before it. */
async function seatedGuard(artifact, store) {
  const workflow = await openWorkflow(artifact, { store, workflowId: "bench" });
  const desk = await workflow.start("desk", { principal: PRINCIPAL });
  const { guard } = await desk.handoff("trader", { principal: PRINCIPAL, artifacts: { mandate: "bench" } });
  const { callId } = await guard.propose({ tool: "approve_risk_check", args: {} });
  await guard.settle(callId, { kind: "result", output: OUTPUT });
  return guard;
}

/** Nanoseconds of an awaited `guard.propose` on a store in memory, in a session alone and in one of a workflow. */
export async function measure({ alone, seated }) {
  const store = await openStore("memory:");
  return medianTurns(
    {
      alone: proposals(await readyGuard(readArtifact(alone), store, "alone")),
      seated: proposals(await seatedGuard(readArtifact(seated), store)),
    },
    ROUNDS,
  );
}
