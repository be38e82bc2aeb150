import { createGuard } from "../../../dist/guard/guard.js";
import { openStore } from "../../../dist/stores/open-store.js";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";
import { timed } from "./turns.mjs";

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

/** Guards of several sessions of a store, at work at the same time: milliseconds for each call that one of them makes. */
export async function guardsAtWork(store, artifact, { sessions, count, name = "session" }) {
  const guards = [];
  for (let at = 0; at < sessions; at++) guards.push(await readyGuard(artifact, store, `${name}-${at + 10}`));
  const cycle = new CallCycle(allowedCalls());
  const turn = async () => {
    const calls = cycle.take(count);
    const work = async (guard) => {
      for (const call of calls) await makeCall(guard, call);
    };
    return (await timed(() => Promise.all(guards.map(work)))) / count;
  };
  return { turn, close: () => store.close() };
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
