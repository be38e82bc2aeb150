import { onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions, RecordedAnswer, Verdict } from "../../src/guard/public.js";
import { openStore } from "../../src/stores/open-store.js";
import { artifactOf } from "./guard-artifact.js";

/** Pays at most 150, asks from 100 on, and looks at some fields of its arguments only. */
export const PAYMENTS = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: 150, reason: At most 150 }]
policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Hot }] }
#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
side_effect: financial
argument_value_invariants: [{ path: $.to, type: string }]
checkpoint:
  when: [{ path: $.amount, gte: 100 }]
  timeout_seconds: 60
  context: [{ label: Amount, path: $.amount }]
`;

export const SESSION = "ticket-7";

/** A store in memory that closes with the test. */
export async function memory(): Promise<DurableStore> {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  return store;
}

/** A guard of the payments on a store. */
export function paymentGuard(store: DurableStore, options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(PAYMENTS), { env: {}, sessionId: SESSION, approver: "manual", store, ...options });
}

export function pay(amount: number, more: object = {}) {
  return { tool: "pay", args: { amount, to: "ann", ...more } };
}

export function approvalIdOf(verdict: Verdict | RecordedAnswer): string {
  if (verdict.kind !== "approval_required") throw new Error(`no approval is asked for, but ${verdict.kind}`);
  return verdict.approvalId;
}

export function callIdOf(verdict: Verdict | RecordedAnswer): string {
  if (verdict.kind !== "allow") throw new Error(`not allowed, but ${JSON.stringify(verdict)}`);
  return verdict.callId;
}

/** The records of a session, as they are stored. */
export async function recordsOf(store: DurableStore, session = SESSION): Promise<readonly StoredText[]> {
  const records = await store.read(`session/${session}`, 0, 10_000);
  return records.map(({ data }) => JSON.parse(data));
}

/** What tests read of a record. */
export interface StoredText {
  readonly n: number;
  readonly prev: string;
  readonly hash: string;
  readonly artifact: string;
  readonly state?: string;
  readonly sealed?: string;
  readonly event?: { readonly kind: string; readonly [field: string]: unknown };
  readonly note?: { readonly [field: string]: unknown };
}
