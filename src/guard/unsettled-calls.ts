import { foreignErrorName } from "../base/foreign-value.js";
import type { Clock, GuardOptions, SettleResult, UnsettledCall } from "./public.js";
import type { Call } from "./session/call.js";
import type { Outcome } from "./session/outcome.js";
import type { Session } from "./session/session.js";
import { TIMED_OUT, within } from "./wrap/within.js";

function listed(session: string, { id, tool, status, since, origin, key, args }: Call): UnsettledCall {
  return {
    session,
    callId: id,
    tool: tool.name,
    status,
    since,
    origin,
    key: key ?? null,
    fields: structuredClone(args),
  };
}

/** The calls of a session that were reserved and not settled, the oldest first. */
export function unsettledCalls(sessionId: string, { unsettled }: Session): readonly UnsettledCall[] {
  // Adapters ask with every result, when mostly there is none.
  return unsettled.size === 0 ? [] : Array.from(unsettled, (call) => listed(sessionId, call));
}

/** Whether no process can still be making a call, so that asking what became of it makes sense. */
function isLeftBehind({ status, since, tool }: Call, now: number): boolean {
  const longest = tool.compiled?.total_ms ?? null;
  return status === "indeterminate" || (since !== null && longest !== null && now >= since + longest);
}

/** What asking about the calls that were left behind needs. */
interface Resolving {
  readonly sessionId: string;
  readonly session: Session;
  readonly clock: Clock;
  readonly resolver: NonNullable<GuardOptions["resolver"]>;
  /** How long one question may take, in milliseconds. */
  readonly timeoutMs: number;
  settle(callId: string, outcome: Outcome): Promise<SettleResult>;
}

/** What the resolver says of a call; null where it failed, which is reported. */
async function resolution(call: Call, { sessionId, resolver, timeoutMs }: Resolving): Promise<unknown> {
  try {
    return await within(timeoutMs, resolver(listed(sessionId, call)));
  } catch (cause) {
    process.emitWarning(`${call.id} stays unsettled: the resolver failed (${foreignErrorName(cause)})`);
    return null;
  }
}

/**
 * Asks what became of the calls that an earlier process left behind, and settles those that are known. A resolver that does not
 * answer in time is asked nothing more, and neither is one whose answer the store does not take: waiting once more for each call
 * would keep the guard from being made, whatever is known of old calls.
 */
export async function resolveLeftBehind(resolving: Resolving): Promise<void> {
  const { session, clock, settle } = resolving;
  const now = clock.now();
  const left = [...session.unsettled].filter((call) => isLeftBehind(call, now));
  for (const call of left) {
    const found = await resolution(call, resolving);
    if (found === TIMED_OUT) {
      process.emitWarning(`${call.id} and those after it stay unsettled: the resolver did not answer in time`);
      return;
    }
    if (found !== "happened" && found !== "did_not_happen") continue;
    try {
      await settle(call.id, { kind: found });
    } catch (cause) {
      const why = `what the resolver found could not be recorded (${foreignErrorName(cause)})`;
      process.emitWarning(`${call.id} and those after it may stay unsettled: ${why}`);
      return;
    }
  }
}
