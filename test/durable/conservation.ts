import { expect } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { UnsettledCall } from "../../src/guard/public.js";
import type { Bounds } from "./payments.js";
import { callsOf, eventsOf, isCounted, isOpen, type RecordedCall, recordsOf } from "./session-log.js";
import type { Effect } from "./tool-server.js";

/** Who knows what really happened. */
export interface Books {
  /** Waits until no call is under way any more. */
  quiet(): Promise<void>;
  effects(session: string): Promise<readonly Effect[]>;
  /** Whether a payment happened; what did not can no longer happen afterwards. */
  did(reference: string): Promise<"happened" | "did_not_happen" | "unknown">;
}

/** A session whose workers are all gone. */
export interface Deserted {
  readonly store: DurableStore;
  readonly artifact: Artifact;
  readonly bounds: Bounds;
  readonly session: string;
  readonly server: Books;
}

/** What was found of it, before anything was settled. */
export interface Found {
  readonly effects: readonly Effect[];
  readonly calls: readonly RecordedCall[];
  /** What the tool server said of the unsettled calls. */
  readonly resolved: readonly string[];
}

const sumOf = (items: readonly { readonly amount: number }[]) => items.reduce((sum, { amount }) => sum + amount, 0);
const sorted = (items: readonly { readonly reference: string }[]) => items.map(({ reference }) => reference).sort();

async function recordedCalls({ store, session }: Deserted): Promise<readonly RecordedCall[]> {
  return callsOf(eventsOf(await recordsOf(store, session)));
}

export function openAgain({
  store,
  artifact,
  session,
}: Pick<Deserted, "store" | "artifact" | "session">): Promise<Guard> {
  return createGuard(artifact, { store, sessionId: session, approver: "manual" });
}

function referenceOf({ fields }: UnsettledCall): string {
  const { reference }: { reference?: unknown } = Object(fields);
  return String(reference);
}

/** Settles what was left behind as the tool server says, and returns what it said. */
async function settleTruthfully(guard: Guard, server: Books): Promise<readonly string[]> {
  const said: string[] = [];
  for (const call of guard.unsettled()) {
    const kind = await server.did(referenceOf(call));
    if (kind === "unknown") throw new Error("the tool server was said to be quiet");
    expect(await guard.settle(call.callId, { kind })).toEqual({ accepted: true });
    said.push(kind);
  }
  return said;
}

/** What really happened is within the bounds and recorded. */
function expectCovered({ bounds }: Deserted, effects: readonly Effect[], calls: readonly RecordedCall[]): void {
  const counted = calls.filter(isCounted);
  expect(effects.length).toBeLessThanOrEqual(bounds.calls);
  expect(sumOf(effects)).toBeLessThanOrEqual(bounds.sum);
  expect(counted.length).toBeLessThanOrEqual(bounds.calls);
  expect(sumOf(counted)).toBeLessThanOrEqual(bounds.sum);
  const covered = new Set(counted.map(({ reference }) => reference));
  expect(effects.filter(({ reference }) => !covered.has(reference))).toEqual([]);
  expect(new Set(sorted(effects)).size).toBe(effects.length);
}

/**
 * Checks a session after its workers were killed: nothing beyond its bounds, every effect covered by a call that is committed
 * or visibly unsettled; once those are settled as the tool server says, what is counted is what happened.
 */
export async function expectConserved(deserted: Deserted): Promise<Found> {
  const { server, session } = deserted;
  await server.quiet();
  const effects = await server.effects(session);
  const calls = await recordedCalls(deserted);
  expectCovered(deserted, effects, calls);
  const guard = await openAgain(deserted);
  expect(guard.unsettled().map(({ callId }) => callId)).toEqual(calls.filter(isOpen).map(({ callId }) => callId));
  const resolved = await settleTruthfully(guard, server);
  const committed = (await recordedCalls(deserted)).filter(({ end }) => end === "committed");
  expect(sorted(committed)).toEqual(sorted(effects));
  const counts = { toolCalls: effects.length, aggregates: { paid: sumOf(effects) }, unsettled: [] };
  expect(guard.state()).toMatchObject(counts);
  // Whoever reads the session from the store sees the same.
  expect((await openAgain(deserted)).state()).toEqual(guard.state());
  return { effects, calls, resolved };
}
