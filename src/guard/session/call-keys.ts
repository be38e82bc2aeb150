import type { Json } from "../../base/json.js";
import { digestOf } from "./call-digest.js";
import type { Calls } from "./calls.js";
import { type SessionApprovals, waitingCall } from "./pending-approval.js";

/** The keys of this many calls of a session are kept. */
const KEPT = 10_000;
/** The most characters of a key. */
const LONGEST_KEY = 256;

/** The call that has a key. */
export interface HeldKey {
  readonly callId: string;
  /** Of tool and arguments, which are not kept. */
  readonly digest: string;
  /** How many ids the session had issued by then. */
  readonly serial: number;
}

/** The parts of a session that decide whether a key may be forgotten. */
interface KeyedSession extends SessionApprovals {
  readonly issued: number;
  readonly unsettled: Calls;
}

interface KeyedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  /** Of both, where `args` are not all arguments. */
  readonly digest?: string;
}

/** The digest of arguments that are too large for one; a call with such arguments is refused before its key is compared. */
const TOO_LARGE = "too large";

/** A character may take two units. */
function isTooLong(key: string): boolean {
  return key.length > LONGEST_KEY && (key.length > 2 * LONGEST_KEY || [...key].length > LONGEST_KEY);
}

/** Checks the key that a caller gave; undefined is none. */
export function checkedKey(key: unknown): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string" || key === "" || isTooLong(key)) {
    throw new TypeError(`a \`callKey\` must be a string of 1 to ${LONGEST_KEY} characters`);
  }
  return key;
}

/** The keys that callers gave their calls, to recognise repeated proposals. */
export class CallKeys {
  private held: Map<string, HeldKey>;
  /** With more keys than this, old ones are dropped. */
  private most = 2 * KEPT;

  constructor(from: ReadonlyMap<string, HeldKey> = new Map()) {
    this.held = new Map(from);
  }

  copy(): CallKeys {
    return new CallKeys(this.held);
  }

  /** The keys that are not forgotten with their calls, in the order in which they were given; whenever old ones were dropped. */
  kept(session: KeyedSession): ReadonlyMap<string, HeldKey> {
    return new Map([...this.held].filter(([, held]) => !isForgotten(session, held)));
  }

  /** The call that has a key; undefined if none has. */
  find(session: KeyedSession, key: string): HeldKey | undefined {
    const held = this.held.get(key);
    return held === undefined || isForgotten(session, held) ? undefined : held;
  }

  /** Gives the key to a call. */
  hold(session: KeyedSession, key: string, { callId, tool, args, digest }: KeyedCall): void {
    const known = digest ?? digestOf({ tool, args }) ?? TOO_LARGE;
    // At the end, also where the key was forgotten and not dropped yet.
    this.held.delete(key);
    this.held.set(key, { callId, digest: known, serial: session.issued });
    if (this.held.size <= this.most) return;
    this.held = new Map(this.kept(session));
    this.most = this.held.size + KEPT;
  }

  /** Takes the key from a call. */
  release(key: string, callId: string): void {
    if (this.held.get(key)?.callId === callId) this.held.delete(key);
  }
}

/** Old keys are forgotten, but not while their call is unsettled or may still be approved: a repeat would send it twice. */
function isForgotten(session: KeyedSession, { callId, serial }: HeldKey): boolean {
  if (serial > session.issued - KEPT) return false;
  return session.unsettled.find(callId) === undefined && waitingCall(session, callId) === null;
}
