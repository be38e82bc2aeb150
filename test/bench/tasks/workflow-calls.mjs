import { performance } from "node:perf_hooks";
import { openStore } from "../../../dist/stores/open-store.js";
import { openWorkflow } from "../../../dist/workflow/public.js";
import { CallCycle, makeCall, OUTPUT, readyGuard } from "../durable/session.mjs";
import { medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

/** Proposals in one turn. */
const COUNT = 200;
const ROUNDS = { warmUps: 30, turns: 101 };

/** The guard of a session that another one handed off to, in which orders may be placed. */
async function seatedGuard(artifact, store) {
  const workflow = await openWorkflow(artifact, { store, workflowId: "bench" });
  const desk = await workflow.start("desk", { principal: PRINCIPAL });
  const { guard } = await desk.handoff("trader", { principal: PRINCIPAL });
  await makeCall(guard, { tool: "approve_risk_check", args: {} });
  return guard;
}

/** Milliseconds of a proposal; that it is settled is not counted. */
function turnOf(guard) {
  const calls = new CallCycle(allowedCalls());
  return async () => {
    let spent = 0;
    for (const call of calls.take(COUNT)) {
      const start = performance.now();
      const verdict = await guard.propose(call);
      spent += performance.now() - start;
      if (verdict.kind !== "allow") throw new Error(`the call of ${call.tool} was not allowed: ${verdict.reason}`);
      await guard.settle(verdict.callId, { kind: "result", output: OUTPUT });
    }
    return spent / COUNT;
  };
}

/** The same of a session without a workflow, on stores of their own. */
export async function measure({ session, workflow }) {
  const stores = await Promise.all([1, 2].map(() => openStore("memory:")));
  const [alone, shared] = stores;
  const contestants = {
    session: turnOf(await readyGuard(readArtifact(session), alone, "bench")),
    workflow: turnOf(await seatedGuard(readArtifact(workflow), shared)),
  };
  try {
    return await medianTurns(contestants, ROUNDS);
  } finally {
    for (const store of stores) await store.close();
  }
}
