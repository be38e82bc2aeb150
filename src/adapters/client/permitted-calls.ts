import { REASONS } from "../../artifact/reasons.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import type { BlockVerdict } from "../../guard/public.js";
import { callsOf } from "../core/agent-calls.js";
import { type Gate, isRefused, type JudgedCall, judgeCalls, releaseAll } from "../core/gate.js";
import { refusalText, repeatedCall, textOf } from "../core/refusal.js";
import { CallAtApplication } from "./call-at-application.js";

/** A call of a reply; one that was approved for the application is running. */
export type PermittedCall = JudgedCall & { readonly running?: CallAtApplication };

/** What comes after a call that waits, and cannot wait itself. */
const PAUSED: BlockVerdict = { kind: "block", reason: "session_paused", message: REASONS.session_paused };

/** Gives up what was permitted for a reply that the application does not get. */
export async function releaseCalls(guard: Guard, calls: readonly PermittedCall[]): Promise<void> {
  for (const { call, running } of calls) {
    callsOf(guard).forget(call.id);
    await running?.release();
  }
  await releaseAll(
    guard,
    calls.filter(({ running }) => running === undefined),
  );
}

function isAtApplication(guard: Guard, { call, fate }: JudgedCall): boolean {
  return fate.kind === "waiting" && !callsOf(guard).executes(call.tool);
}

/**
 * The calls of a reply, judged in their order. Where the application executes a call itself that needs an approval, this waits for
 * it, and judges what comes after it then.
 */
export async function permittedCalls(
  guard: Guard,
  calls: readonly ModelCall[],
  gate: Gate,
  signal: AbortSignal,
): Promise<readonly PermittedCall[]> {
  const judged = await judgeCalls(guard, calls, gate);
  callsOf(guard).add(judged);
  const at = judged.findIndex((each) => isAtApplication(guard, each));
  const waiting = judged[at];
  if (waiting === undefined) return judged;
  const before: PermittedCall[] = judged.slice(0, at);
  try {
    const answered = await asked(guard, waiting.call, signal);
    before.push(answered);
    const rest = calls.slice(at + 1);
    const isOver = isRefused(answered) && gate !== "strip_blocked";
    const after = isOver ? skipped(rest, answered) : await permittedCalls(guard, rest, gate, signal);
    const all = [...before, ...after];
    const first = all.find(({ fate }) => fate.kind === "refused");
    if (gate !== "reject_all" || first === undefined) return all;
    const left = all.filter((each) => !isRefused(each));
    await releaseCalls(guard, left);
    return all.map((each) => (left.includes(each) ? (skipped([each.call], first)[0] ?? each) : each));
  } catch (cause) {
    await releaseCalls(guard, before);
    throw cause;
  }
}

async function asked(guard: Guard, call: ModelCall, signal: AbortSignal): Promise<PermittedCall> {
  const end = await CallAtApplication.permitted(guard, call, signal);
  if (!(end instanceof CallAtApplication)) return { call, fate: end };
  return { call, fate: { kind: "repeated" }, running: end };
}

function skipped(calls: readonly ModelCall[], { call: refused, fate }: JudgedCall): readonly PermittedCall[] {
  const verdict = fate.kind === "refused" ? fate.verdict : PAUSED;
  return calls.map((call) => ({ call, fate: { kind: "skipped", refused: refused.tool, verdict } }));
}

/** Why the application does not get a call; null if it does. */
export function whyNotMade(guard: Guard, { call, fate, running }: PermittedCall): string | null {
  if (running !== undefined) return null;
  if (fate.kind === "refused" || fate.kind === "skipped") return textOf(fate);
  if (callsOf(guard).executes(call.tool)) return null;
  if (fate.kind === "repeated") return refusalText(repeatedCall());
  return fate.kind === "deferred" ? refusalText(PAUSED) : null;
}
