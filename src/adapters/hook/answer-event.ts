import { clean } from "../../base/clean.js";
import { cut } from "../../base/wording.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ApprovalVerdict, UnsettledCall, Verdict } from "../../guard/public.js";
import { NOT_SENT, type Outcome } from "../../guard/session/outcome.js";
import { rejectionOf } from "../../guard/wrap/contract-violation.js";
import { refusalText } from "../core/refusal.js";
import type { HookEvent } from "./hook-event.js";

/** What the agent is told; null lets it go on. What is told before a call keeps the agent from making it. */
export type HookAnswer = string | null;

type Event<K extends HookEvent["kind"]> = HookEvent & { readonly kind: K };

/** Under which name unanswered requests are ended. */
const BY = "contracts hook";
/** How often the store is asked whether somebody has answered. */
const POLL_MS = 200;

function wait(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}

/** Waits for the answer to a request as long as it may take. A request that nobody answered is ended: the call is not made. */
async function answered(guard: Guard, { approvalId, deadline }: ApprovalVerdict, waitMs: number): Promise<Verdict> {
  const last = Math.min(Date.now() + waitMs, deadline + POLL_MS);
  for (;;) {
    const verdict = await guard.resume(approvalId);
    if (verdict.kind !== "approval_required") return verdict;
    if (Date.now() >= last) break;
    await wait(POLL_MS);
  }
  const denied = await guard.deny(approvalId, { by: BY, note: "nobody answered while the agent waited" });
  // Somebody answered in the meantime.
  return denied.kind === "recorded" ? guard.resume(approvalId) : denied;
}

/** A call that the agent is about to make. */
async function before(guard: Guard, { tool, args, id }: Event<"before">, waitMs: number): Promise<HookAnswer> {
  const first = await guard.propose({ tool, args, callKey: id });
  if (first.kind !== "block" && first.repeated === true) {
    const what = first.kind === "allow" ? "was let through before" : "waits for an approval already";
    return `refused: a call with this id ${what}; if the hook is registered twice, register it once`;
  }
  const verdict = first.kind === "approval_required" ? await answered(guard, first, waitMs) : first;
  if (verdict.kind === "allow") return null;
  if (verdict.kind === "block") return refusalText(verdict);
  return "refused: the call waits for further approvals";
}

/** How a call that was let through has ended, with what the agent has to know of its output. */
async function settled(guard: Guard, tool: string, callId: string, outcome: Outcome): Promise<HookAnswer> {
  const result = await guard.settle(callId, outcome);
  const rejection = rejectionOf(result);
  if (rejection !== null) return `${clean(cut(tool))}: its output is rejected: ${refusalText(rejection)}`;
  const { accepted, reason } = result;
  return accepted ? null : `${clean(cut(tool))}: its result is not recorded: ${reason ?? "refused"}`;
}

/** A call that ran although this hook did not let it through: it is counted if its contract allows it, and reported in any case. */
async function unjudged(guard: Guard, event: Event<"after" | "failed">, outcome: Outcome): Promise<HookAnswer> {
  const { tool, args, id } = event;
  const verdict = await guard.propose({ tool, args, callKey: id });
  const what = `${clean(cut(tool))} ran without having been judged before: register this hook for PreToolUse too`;
  if (verdict.kind === "allow") {
    const told = await settled(guard, tool, verdict.callId, outcome);
    return told === null ? `${what}; it is counted` : `${what}; ${told}`;
  }
  if (verdict.kind === "approval_required") {
    await guard.deny(verdict.approvalId, { by: BY, note: "the call ran before it was judged" });
    return `${what}; it needed an approval, and is not counted`;
  }
  // The event was reported before.
  return verdict.reason === "call_key_used" ? null : `${what}; it is not counted: ${refusalText(verdict)}`;
}

function letThrough(guard: Guard, { tool, id }: HookEvent): UnsettledCall | undefined {
  return guard.unsettled().find((call) => call.key === id && call.tool === tool);
}

/** A call that the agent has made. */
async function after(guard: Guard, event: Event<"after" | "failed">, outcome: Outcome): Promise<HookAnswer> {
  const { tool, args, id } = event;
  const call = letThrough(guard, event);
  if (call === undefined) return unjudged(guard, event, outcome);
  const again = await guard.propose({ tool, args, callKey: id });
  if (again.kind === "block" && again.reason === "call_key_mismatch") {
    await guard.settle(call.callId, { kind: "timeout" });
    return `${clean(cut(tool))} ran with other arguments than were judged: it stays unsettled, and an operator has to settle it`;
  }
  return settled(guard, tool, call.callId, outcome);
}

function outcomeOf({ error, isInterrupt }: Event<"failed">): Outcome {
  return isInterrupt ? { kind: "timeout" } : { kind: "error", code: "tool_error", message: error };
}

/** Judges and records what an agent does, one event at a time. `waitMs` is how long a call may wait for an approval. */
export async function answerEvent(guard: Guard, event: HookEvent, waitMs: number): Promise<HookAnswer> {
  switch (event.kind) {
    case "before":
      return before(guard, event, waitMs);
    case "after":
      return after(guard, event, { kind: "result", output: event.output });
    case "failed":
      return after(guard, event, outcomeOf(event));
    case "denied": {
      const call = letThrough(guard, event);
      return call === undefined ? null : settled(guard, event.tool, call.callId, NOT_SENT);
    }
  }
}
