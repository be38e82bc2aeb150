import { contentHash } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { loopKey } from "../checks/loop-detection.js";
import { type Session, unsettledCall, waitingCall } from "./session.js";

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

interface KeyedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
}

/** A call is asked for its digest when its key is looked up, and again when it is reserved. */
const digests = new WeakMap<object, { readonly tool: string; readonly digest: string | null }>();

/**
 * The same for the same tool and arguments, whatever the order of the arguments; null where spelling them takes more work
 * than a judgement may take.
 */
export function digestOf({ tool, args }: Pick<KeyedCall, "tool" | "args">): string | null {
  const known = typeof args === "object" && args !== null ? digests.get(args) : undefined;
  if (known?.tool === tool) return known.digest;
  const digest = withinBudget<string | null>(
    () => contentHash(loopKey(tool, args)),
    () => null,
  );
  if (typeof args === "object" && args !== null) digests.set(args, { tool, digest });
  return digest;
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
  find(session: Session, key: string): HeldKey | undefined {
    const held = this.held.get(key);
    return held === undefined || isForgotten(session, held) ? undefined : held;
  }

  /** From here on the key stands for this call. */
  hold(session: Session, key: string, { callId, tool, args }: KeyedCall): void {
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
function isForgotten(session: Session, { callId, serial }: HeldKey): boolean {
  if (serial > session.issued - KEPT) return false;
  return unsettledCall(session, callId) === undefined && waitingCall(session, callId) === null;
}
