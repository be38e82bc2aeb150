import type { Json } from "../../base/json.js";
import { digestOf } from "./call-digest.js";
import type { Calls } from "./calls.js";
import { type SessionApprovals, waitingCall } from "./pending-approval.js";

/** For so many calls of a session their keys are kept. */
const KEPT = 10_000;
/** Characters of a key, at most. */
const LONGEST_KEY = 256;

/** The call that a key stands for. */
interface HeldKey {
  readonly callId: string;
  /** Stands for tool and arguments, which are not kept. */
  readonly digest: string;
  /** How many ids the session had given out by then. */
  readonly serial: number;
}

/** What of a session says whether a key may be forgotten. */
interface KeyedSession extends SessionApprovals {
  readonly issued: number;
  readonly unsettled: Calls;
}

interface KeyedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
}

/** Stands for arguments too large to have a digest; a call with such arguments is refused before its key is compared. */
const TOO_LARGE = "too large";

/** Checks a key as a caller gave it; undefined is none. */
export function checkedKey(key: unknown): string | undefined {
  if (key === undefined) return undefined;
  // A character may take two units.
  if (typeof key !== "string" || key === "" || key.length > 2 * LONGEST_KEY || [...key].length > LONGEST_KEY) {
    throw new TypeError(`a \`callKey\` is a text of 1 to ${LONGEST_KEY} characters`);
  }
  return key;
}

/** The keys that callers gave their calls, so that a repeated proposal is known as one. */
export class CallKeys {
  private held: Map<string, HeldKey>;
  /** When there are more keys, old ones are dropped. */
  private most = 2 * KEPT;

  constructor(from: ReadonlyMap<string, HeldKey> = new Map()) {
    this.held = new Map(from);
  }

  copy(): CallKeys {
    return new CallKeys(this.held);
  }

  /** The call that a key stands for; undefined where it is free. */
  find(session: KeyedSession, key: string): HeldKey | undefined {
    const held = this.held.get(key);
    return held === undefined || isForgotten(session, held) ? undefined : held;
  }

  /** From here on the key stands for this call. */
  hold(session: KeyedSession, key: string, { callId, tool, args }: KeyedCall): void {
    this.held.set(key, { callId, digest: digestOf({ tool, args }) ?? TOO_LARGE, serial: session.issued });
    if (this.held.size <= this.most) return;
    this.held = new Map([...this.held].filter(([, held]) => !isForgotten(session, held)));
    this.most = this.held.size + KEPT;
  }

  /** The key stands for this call no more. */
  free(key: string, callId: string): void {
    if (this.held.get(key)?.callId === callId) this.held.delete(key);
  }
}

/** Old keys are forgotten, but not while their call is open or may still be let through: repeating it would make it twice. */
function isForgotten(session: KeyedSession, { callId, serial }: HeldKey): boolean {
  if (serial > session.issued - KEPT) return false;
  return session.unsettled.find(callId) === undefined && waitingCall(session, callId) === null;
}
