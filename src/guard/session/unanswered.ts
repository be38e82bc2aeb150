import type { SessionEvent } from "./event.js";
import { type Session, unsettledCall } from "./session.js";

/** The result of a decision, once it is recorded; null after a conflict. */
export type Attempt<T> = { readonly result: T } | null;

/** An event that is recorded before the next decision, if it still applies then. */
export type Pending = (session: Session) => SessionEvent | null;

/** An append that may still turn out to be recorded: its result, and what must follow if nobody waits for that. */
interface Sent<T> {
  readonly result: T;
  readonly followUps: readonly Pending[];
}

/**
 * The appends of a decision whose caller still waits, as far as they may turn out to be recorded: those without an answer, and
 * those that were refused, since a request that was sent again may arrive after that.
 */
export class Unanswered<T> {
  readonly sent = new Map<string, Sent<T>>();
  /** The one that was found in the log. */
  found: string | null = null;

  /** A settlement is tried again after any failure of the store; another decision is given up. */
  constructor(readonly isSettlement: boolean) {}

  recorded(appendId: string): void {
    if (this.sent.has(appendId)) this.found = appendId;
  }

  /** The result of the append that was found. */
  get result(): Attempt<T> {
    return this.found === null ? null : (this.sent.get(this.found) ?? null);
  }
}

/** What must follow an event that was recorded although its caller was told that it was not. */
export function followUpsOf(event: SessionEvent): readonly Pending[] {
  switch (event.kind) {
    case "reserved": {
      const { callId } = event;
      return [(session) => (unsettledCall(session, callId) === undefined ? null : { kind: "unanswered", callId })];
    }
    case "approval_requested": {
      const { id: approvalId } = event.request;
      return [
        ({ approval, resumable }) =>
          // Somebody may have granted it meanwhile.
          approval?.id === approvalId || resumable.has(approvalId)
            ? { kind: "approval_ended", approvalId, end: "withdrawn" }
            : null,
      ];
    }
    default:
      return [];
  }
}
