import { inspect } from "node:util";
import { canonicalJson } from "../../src/base/canonical-json.js";
import type { Json } from "../../src/base/json.js";
import {
  entriesOf,
  type GuardSettlement,
  type GuardState,
  type GuardVerdict,
  type GuardVisibility,
} from "./adapter.js";

/** What something gave, or what it threw. */
export type Tried<T> = { readonly ok: true; readonly given: T } | { readonly ok: false; readonly cause: unknown };

/** Does something now that may throw. */
export function tried<T>(act: () => T): Tried<T> {
  try {
    return { ok: true, given: act() };
  } catch (cause) {
    return { ok: false, cause };
  }
}

/**
 * A hang is an answer too: longer than any limit that the guard was given. Counted in turns of the event loop, so that a pause of
 * the machine is no hang.
 */
const HANG_TICKS = 30;
const TICK_MS = 100;

/** Awaits something that may throw; `mayHang` where it may never answer. */
export async function triedLater<T>(act: () => T | Promise<T>, mayHang: boolean): Promise<Tried<T>> {
  let timer: NodeJS.Timeout | undefined;
  try {
    if (!mayHang) return { ok: true, given: await act() };
    const hang = new Promise<never>((_, reject) => {
      let ticks = 0;
      timer = setInterval(() => {
        ticks += 1;
        if (ticks === HANG_TICKS) reject(new Error("no answer"));
      }, TICK_MS);
    });
    return { ok: true, given: await Promise.race([act(), hang]) };
  } catch (cause) {
    return { ok: false, cause };
  } finally {
    clearInterval(timer);
  }
}

/** A caller's mistake by its name; any other error whole, so that it is seen where it is not expected. */
export function nameOf(cause: unknown): { readonly error: string } {
  return { error: cause instanceof TypeError ? "TypeError" : inspect(cause) };
}

export function plainVerdict(verdict: GuardVerdict): unknown {
  const { kind, reason = null, because = null, would, repeated = false, approvals = null, needed = null } = verdict;
  const approvedBy = verdict.approvedBy ?? [];
  const wouldBe = {
    would: would?.kind ?? "allow",
    wouldReason: would?.reason ?? null,
    wouldBecause: would?.because ?? null,
  };
  return { kind, reason, because, ...wouldBe, repeated, approvals, needed, approvedBy };
}

export function plainSettlement({ accepted, reason, violation }: GuardSettlement): unknown {
  const broken = { violation: violation?.reason ?? null, because: violation?.because ?? null };
  return { accepted, reason: reason ?? null, ...broken };
}

export function plainVisibility({ visible, hidden }: GuardVisibility): unknown {
  return {
    visible: [...visible].sort(),
    hidden: [...hidden].map(({ tool, reason }) => `${tool}: ${reason}`).sort(),
  };
}

/** The entries of a keyed slot, or the values of a union: an output that arrives late leaves them in another order. */
function inAnyOrder(value: unknown): unknown {
  const textOf = (item: unknown) => canonicalJson(item as Json); // what is bound is JSON
  return Array.isArray(value) ? [...value].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : value;
}

export function plainState(state: GuardState, callOf: (callId: string) => string): unknown {
  return {
    phase: state.phase ?? null,
    steps: state.steps,
    toolCalls: state.toolCalls,
    bindings: entriesOf(state.bindings).map(([slot, value]) => [slot, inAnyOrder(value)]),
    aggregates: entriesOf(state.aggregates),
    labels: [...state.labels].sort(),
    killed: Boolean(state.killed),
    unsettled: state.unsettled.map(({ callId, tool, status }) => `${callOf(callId)} ${tool} ${status}`).sort(),
    cost: state.cost,
  };
}

/** The reason of a violation, where there is one. */
export function reasonOfViolation(violation: unknown): readonly string[] {
  if (typeof violation !== "object" || violation === null || !("reason" in violation)) return [];
  return [String(violation.reason)];
}

/** Overwrites everything in a value that somebody else may still hold; what is frozen stays as it is. */
export function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key));
    Reflect.set(value, key, "spoilt");
  }
}
