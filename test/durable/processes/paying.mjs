import { readFileSync } from "node:fs";
import { createGuard } from "../../../dist/bundle/guard.js";
import { openStore } from "../../../dist/bundle/stores.js";
import { say, work } from "./work.mjs";

export { say, work };

const artifact = JSON.parse(readFileSync(work.artifact, "utf8"));

export function guardOf(store, options = {}) {
  return createGuard(artifact, { store, sessionId: work.session, approver: "manual", ...options });
}

export function openWorkStore() {
  return openStore(work.url, { timeoutMs: 20_000, ...work.storeOptions });
}

/** Asks the tool server to pay. A connection that breaks, and a 5xx, leave open whether it did. */
export async function pay(tool, { reference, amount }, { signal, fate = "pay" } = {}) {
  const body = JSON.stringify({ session: work.session, reference, amount, fate });
  const response = await fetch(`${work.server}/pay`, { method: "POST", body, signal });
  if (response.ok) return response.json();
  throw Object.assign(new Error(`${tool} was refused`), { status: response.status });
}

/** What the tool server knows of a payment; what it never heard of can no longer happen. */
export async function did(reference) {
  const response = await fetch(`${work.server}/did?reference=${encodeURIComponent(reference)}`);
  return response.json();
}
