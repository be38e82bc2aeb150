import { createGuard } from "../../../dist/guard/guard.js";
import { openStore } from "../../../dist/stores/open-store.js";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

/** What a tool answers, and what a step records. */
export const OUTPUT = { accepted: true };

/** A guard as callers have it, of a session in a store. */
export function openGuard(artifact, store, sessionId) {
  return createGuard(artifact, { store, sessionId, principal: PRINCIPAL, approver: "manual" });
}

/** Proposes and settles one call: two decisions, each of them recorded before it is answered. */
export async function makeCall(guard, { tool, args }) {
  const verdict = await guard.propose({ tool, args });
  if (verdict.kind !== "allow") throw new Error(`the call of ${tool} was not allowed: ${verdict.reason}`);
  const { accepted } = await guard.settle(verdict.callId, { kind: "result", output: OUTPUT });
  if (!accepted) throw new Error(`the call of ${tool} was not settled`);
}

/** A guard of a new session in which orders may be placed. */
export async function readyGuard(artifact, store, sessionId) {
  const guard = await openGuard(artifact, store, sessionId);
  await makeCall(guard, { tool: "approve_risk_check", args: {} });
  return guard;
}

/** The calls of the scenario one after the other, again and again. */
export class CallCycle {
  constructor(calls) {
    this.calls = calls;
    this.next = 0;
  }

  take(count) {
    return Array.from({ length: count }, () => this.calls[this.next++ % this.calls.length]);
  }
}

/** Calls until the code is compiled, as in a worker that has run for a while. */
const WARM_UP = 6000;

/** Makes calls in memory. */
export async function warmUp(artifact) {
  const store = await openStore("memory:");
  const guard = await readyGuard(artifact, store, "warm-up");
  for (const call of new CallCycle(allowedCalls()).take(WARM_UP)) await makeCall(guard, call);
  await store.close();
}
