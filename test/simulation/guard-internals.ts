import type { Guard } from "../../src/guard/guard-api.js";
import type { Session } from "../../src/guard/session/session.js";

/** What a guard holds in memory. */
export interface Held {
  readonly session: Session;
  /** How much of the log it knows. */
  readonly revision: number;
  /** It knows that it may have to read more, or has something that is not recorded. */
  readonly isSettled: boolean;
}

/** The private parts that are looked at. */
interface Parts {
  readonly ledger: {
    readonly session: Session;
    readonly stored: {
      readonly isSound: boolean;
      readonly pendingKill: object | null;
      readonly log: { readonly chain: { readonly revision: number } };
    };
  };
}

/** Looks into a guard: its state must be that of the log, not only look like it. */
export function heldBy(guard: Guard): Held {
  const { session, stored } = (guard as unknown as Parts).ledger;
  return { session, revision: stored.log.chain.revision, isSettled: stored.isSound && stored.pendingKill === null };
}
