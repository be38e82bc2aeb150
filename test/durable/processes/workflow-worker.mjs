import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openStore } from "../../../dist/bundle/stores.js";
import { openWorkflow } from "../../../dist/bundle/workflow.js";
import { say, work } from "./work.mjs";

/**
 * A worker that may be killed at any instant. It begins sessions until it has had its share, or the workflow has had all of
 * its own; in each it fights with the other workers for three resources, and closes it.
 */
const artifact = JSON.parse(readFileSync(work.artifact, "utf8"));
const store = await openStore(work.url, { timeoutMs: 20_000 });
const workflow = await openWorkflow(artifact, { store, workflowId: work.workflowId, storeTimeoutMs: 20_000 });
say("ready");

async function ask(path, body) {
  const response = await fetch(`${work.server}${path}`, { method: "POST", body: JSON.stringify(body) });
  return response.json();
}

/** The reason of a refusal; any other error is one of this script. */
function reasonOf(cause) {
  const reason = cause?.verdict?.reason;
  if (reason === undefined) throw cause;
  return reason;
}

/** Null once the workflow takes no more sessions. */
async function begun(sessionId) {
  for (;;) {
    try {
      return await workflow.start("worker", { sessionId });
    } catch (cause) {
      const reason = reasonOf(cause);
      say("refused", sessionId, reason);
      if (reason === "session_exists") return workflow.attach(sessionId);
      const { totals } = await workflow.state();
      if (totals.sessions >= work.most) return null;
      await setTimeout(10);
    }
  }
}

async function carriedOut({ id, guard }, { tool, resource, mode }) {
  const verdict = await guard.propose({ tool, args: { [resource]: "1" } });
  say("verdict", id, verdict.kind === "block" ? verdict.reason : verdict.kind);
  if (verdict.kind !== "allow") return verdict.reason;
  const { callId } = verdict;
  const call = `${id}/${callId}`;
  if (await ask("/enter", { call, resource, mode, session: id, isMutating: tool !== "look" })) {
    await setTimeout(work.pace);
    await ask("/leave", { call });
  }
  await guard.settle(callId, { kind: "result", output: {} });
  return null;
}

/** Whoever does not get a resource tries again, and gives up some time. */
async function lived(session, calls) {
  for (const call of calls) {
    for (let left = 20; left > 0 && (await carriedOut(session, call)) !== null; left -= 1) await setTimeout(5);
  }
  await ask("/release", { session: session.id });
  await session.close();
  say("closed", session.id);
}

let next = 0;
async function lane() {
  while (next < work.sessions.length) {
    const { id, calls } = work.sessions[next++];
    const session = await begun(id);
    if (session === null) return;
    await lived(session, calls);
  }
}
await Promise.all(Array.from({ length: work.lanes }, lane));
await store.close();
say("done");
