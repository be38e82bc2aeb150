import type { Json } from "../../base/json.js";
import type { References } from "../decide/judge-output.js";
import type { Listeners } from "../listeners.js";
import type { Tool } from "../program/program.js";
import type {
  AllowVerdict,
  ApprovalVerdict,
  BlockVerdict,
  Clock,
  SettleResult,
  Verdict,
  Violation,
} from "../public.js";
import type { Outcome } from "../session/outcome.js";
import type { PlainJson } from "../values/plain-json.js";

/** The verdict on a proposal and, if an approver is being asked, the one that its answer will lead to. */
export interface Proposed {
  readonly verdict: Verdict;
  readonly asked: Promise<Verdict> | null;
}

/** A call that may be sent. */
export interface Permitted {
  readonly callId: string;
  /** It waited for an approval, or since it was reserved. */
  readonly hasWaited: boolean;
}

/** A reserved call, and the references for its output in case another process settles it first. */
export interface ReservedCall extends Permitted {
  readonly tool: Tool;
  readonly args: Json;
  /** When it was reserved, by the clock; null where that is not recorded. */
  readonly since: number | null;
  readonly references: References;
}

/** The check before an attempt: send, stop for this reason, or the reservation is gone. */
export type SendCheck =
  | { readonly kind: "go" }
  | { readonly kind: "gone"; readonly verdict: BlockVerdict }
  | BlockVerdict;

/** What wrapped calls need from their guard. */
export interface CallHost {
  readonly clock: Clock;
  readonly listeners: Listeners;
  /** Whether an output that breaks a rule is kept from the caller: shadow and log-only modes block nothing. */
  readonly isWithholding: boolean;
  /** Judges a call whose arguments were copied, or could not be. Does not wait for an approver. */
  propose(tool: unknown, plain: PlainJson, callKey: string | undefined): Promise<Proposed>;
  /** The verdict for the wrapped call that asked for an approval; with an allow that is not `repeated` it is sent. */
  claim(approvalId: string): Promise<Verdict>;
  /** The refusal of a call that another caller sends, or nobody, because the store did not answer: that one is released. */
  used(callId: string): Promise<BlockVerdict>;
  /** The refusal of a call whose key another call has, which is unsettled or waits for an approval. */
  keyHeld(by: AllowVerdict | ApprovalVerdict): BlockVerdict;
  /** Calls the listener after others changed the session, where that is announced; the function that it returns ends it. */
  watch(listener: () => void): () => void;
  /** Whether the store was closed: no answer can come any more. */
  isStoreClosed(): boolean;
  /** The call no longer waits for its approval. */
  leave(approvalId: string): void;
  /** Withdraws a request that no caller waits for, or releases the reservation that it led to meanwhile. */
  withdraw(request: ApprovalVerdict): Promise<void>;
  /**
   * Gives a call that `propose` reserved, or the approval that it asked for, to the caller that sends the call: what it is to go on
   * with, once. Null if another caller has it, or may have it, and if it is another call.
   */
  take(reserved: string, tool: unknown, plain: PlainJson, callKey: string): AllowVerdict | ApprovalVerdict | null;
  reserved(permitted: Permitted, tool: string, args: Json): ReservedCall;
  /** Applies what other processes did meanwhile; the refusal if that cannot be known. */
  catchUp(): Promise<BlockVerdict | null>;
  /** Whether an attempt may still be sent, as far as is known here. Synchronous: a kill could come with any `await`. */
  checkBeforeSending(call: ReservedCall): SendCheck;
  settle(callId: string, outcome: Outcome): Promise<SettleResult>;
  /** The rule that an output breaks, even if its call was settled meanwhile. */
  judgeOutput(call: ReservedCall, output: Json): Violation | null;
}
