import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import type { ApprovalVerdict, Verdict } from "../../guard/public.js";
import { NOT_SENT } from "../../guard/session/outcome.js";
import type { Refusal } from "./refusal.js";

/** What happens to the other calls of a reply of which one is refused. */
export type Gate = "reject_all" | "strip_partial" | "strip_blocked";

/** A call of a reply, and what the guard says of it. */
export interface JudgedCall {
  readonly call: ModelCall;
  readonly fate:
    | { readonly kind: "reserved"; readonly callId: string }
    | { readonly kind: "waiting"; readonly request: ApprovalVerdict }
    /** It was proposed before under its id, by a caller that may have sent it. */
    | { readonly kind: "repeated" }
    /** It comes after one that waits for an approval, during which the session is paused: it is judged when it is executed. */
    | { readonly kind: "deferred" }
    | Refusal;
}

/** Whether a call is not made, as far as is known. */
export function isRefused({ fate }: JudgedCall): boolean {
  return fate.kind === "refused" || fate.kind === "skipped";
}

/**
 * Proposes the calls of a reply in their order, each against the state that the reservations before it leave, and gives up what
 * the gate does not let through. With `reject_all` and `strip_partial` nothing is proposed after the first refusal.
 */
export async function judgeCalls(
  guard: Guard,
  calls: readonly ModelCall[],
  gate: Gate,
): Promise<readonly JudgedCall[]> {
  const judged: JudgedCall[] = [];
  let first: { readonly refused: string; readonly verdict: Extract<Verdict, { kind: "block" }> } | null = null;
  let isPaused = false;
  for (const call of calls) {
    if (isPaused) {
      judged.push({ call, fate: { kind: "deferred" } });
      continue;
    }
    if (first !== null && gate !== "strip_blocked") {
      judged.push({ call, fate: { kind: "skipped", ...first } });
      continue;
    }
    const verdict = await proposed(guard, call, judged);
    if (verdict.kind === "block") first ??= { refused: call.tool, verdict };
    if (verdict.kind === "approval_required") isPaused = true;
    judged.push({ call, fate: fateOf(verdict) });
  }
  if (first === null || gate !== "reject_all") return judged;
  const skipped = { kind: "skipped", ...first } as const;
  await releaseAll(guard, judged);
  return judged.map((each) => (each.fate.kind === "reserved" ? { call: each.call, fate: skipped } : each));
}

/** Where a call cannot be proposed at all, its reply is not used: nothing stays reserved for it. */
async function proposed(guard: Guard, call: ModelCall, before: readonly JudgedCall[]): Promise<Verdict> {
  try {
    return await guard.propose({ tool: call.tool, args: call.args, callKey: call.id, wrapped: true });
  } catch (cause) {
    await releaseAll(guard, before);
    throw cause;
  }
}

/** Gives up calls that are not made. A failure to release one does not keep the others reserved. */
export async function releaseAll(guard: Guard, judged: readonly JudgedCall[]): Promise<void> {
  const released = judged.map(({ fate }) => (fate.kind === "reserved" ? guard.settle(fate.callId, NOT_SENT) : null));
  for (const end of await Promise.allSettled(released)) if (end.status === "rejected") throw end.reason;
}

function fateOf(verdict: Verdict): JudgedCall["fate"] {
  if (verdict.kind === "block") return { kind: "refused", verdict };
  if (verdict.repeated === true) return { kind: "repeated" };
  return verdict.kind === "allow"
    ? { kind: "reserved", callId: verdict.callId }
    : { kind: "waiting", request: verdict };
}
