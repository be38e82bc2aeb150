import type { Call, CallText, Event } from "./history.js";
import { isSame } from "./json.js";
import { type ApprovalRequest, answerTo, isDecided, isPast } from "./requests.js";

const MOST_CHARACTERS = 256;
/** For how many calls keys are kept by default. */
export const KEPT_KEYS = 10_000;

/** The key of a proposal, null where it has none; anything but a text of 1 to 256 characters is the caller's mistake. */
export function readKey(key: unknown): string | null {
  if (key === undefined) return null;
  if (typeof key === "string" && key.length > 0 && [...key].length <= MOST_CHARACTERS) return key;
  throw new TypeError(`callKey must be a text of 1 to ${MOST_CHARACTERS} characters`);
}

/** The call that holds a key: waiting for an approval, unsettled, or settled. */
export interface Holder {
  readonly call: CallText;
  readonly callId: string;
  readonly state: "waiting" | "unsettled" | "settled";
  /** Of a waiting call. */
  readonly approvalId: string | null;
}

/** A call that was once allowed or asked about, with its key. */
interface Keyed {
  readonly callId: string;
  readonly call: CallText;
  readonly key: string | null;
  readonly request: ApprovalRequest | null;
}

/** Calls that were allowed or asked about, each once, from the first to the last. */
function keyedCalls(events: readonly Event[]): readonly Keyed[] {
  const calls = new Map<string, Keyed>();
  for (const event of events) {
    if (event.kind === "asked") {
      const { callId, call, key } = event.request;
      calls.set(callId, { callId, call, key, request: event.request });
    }
    if (event.kind === "allowed" && !calls.has(event.callId)) {
      const { callId, call, key } = event;
      calls.set(callId, { callId, call, key, request: null });
    }
  }
  return [...calls.values()];
}

interface Session {
  readonly events: readonly Event[];
  readonly calls: readonly Call[];
  readonly now: number;
}

/** A request waits until it is denied, withdrawn or decided anew, or until silence has denied it. */
function isWaiting({ events, now }: Session, request: ApprovalRequest): boolean {
  if (isDecided(events, request)) return false;
  const answer = answerTo(events, request);
  if (answer !== null) return answer === "approve";
  return request.onTimeout === "allow" || !isPast(request, now);
}

function holder(session: Session, { callId, call, request }: Keyed): Holder | null {
  const made = session.calls.find((candidate) => candidate.callId === callId);
  if (made !== undefined) {
    return { call, callId, state: made.open === null ? "settled" : "unsettled", approvalId: null };
  }
  // A refused call frees its key.
  if (request === null || !isWaiting(session, request)) return null;
  return { call, callId, state: "waiting", approvalId: request.approvalId };
}

/** Who holds a key now, among the last so many calls; null where it is free. */
export function holderOf(key: string, session: Session, kept: number): Holder | null {
  const own = keyedCalls(session.events)
    .slice(-kept)
    .filter((candidate) => candidate.key === key);
  return own.flatMap((candidate) => holder(session, candidate) ?? []).at(-1) ?? null;
}

/** Whether a proposal is the call that holds its key. */
export function isHolder({ call }: Holder, { tool, args }: CallText): boolean {
  return call.tool === tool && isSame(call.args, args);
}
