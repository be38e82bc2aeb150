import type { GuardVerdict } from "./adapter.js";

/** The names that both guards gave to the same call or request. */
export interface Pair {
  readonly reference: string;
  readonly guard: string;
}

export const NEVER_ASKED: Pair = { reference: "never-asked", guard: "never-asked" };
export const NO_CALL: Pair = { reference: "no-call", guard: "no-call" };

/** What the calls and requests of a session are called on both sides, in their order. */
export class Names {
  readonly calls: Pair[] = [];
  readonly requests: Pair[] = [];
  /** Calls that were settled as `did_not_happen`. */
  readonly undone: Pair[] = [];

  /** The reference's name of a call. */
  ofReference(callId: string): string {
    return this.calls.find(({ guard }) => guard === callId)?.reference ?? callId;
  }

  noteRequest(ours: GuardVerdict, theirs: GuardVerdict): void {
    if (ours.approvalId === undefined || ours.repeated === true) return;
    this.requests.push({ reference: ours.approvalId, guard: theirs.approvalId ?? "" });
  }

  /** A verdict may be given twice; then it is about the same call on both sides. */
  noteCall(ours: GuardVerdict, theirs: GuardVerdict): void {
    if (ours.kind !== "allow" || ours.callId === undefined) return;
    const { callId: guard = "" } = theirs;
    const reference = ours.callId;
    const known = this.calls.find((call) => call.reference === reference || call.guard === guard);
    if (known === undefined) this.calls.push({ reference, guard });
    else if (known.reference !== reference || known.guard !== guard) throw new Error(`another call: ${guard}`);
  }
}
