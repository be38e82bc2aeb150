import type { Json } from "../../base/json.js";
import type { References } from "../decide/judge-output.js";
import type { Listeners } from "../listeners.js";
import type { Tool } from "../program/program.js";
import type { ApprovalVerdict, BlockVerdict, Clock, SettleResult, Verdict, Violation } from "../public.js";
import type { Outcome } from "../session/outcome.js";
import type { PlainJson } from "../values/plain-json.js";

/** The verdict on a proposal and, where an approver is being asked, the one that its answer will lead to. */
export interface Proposed {
  readonly verdict: Verdict;
  readonly asked: Promise<Verdict> | null;
}

/** A call that may be made. */
export interface Permitted {
  readonly callId: string;
  /** It waited for an approval. */
  readonly hasWaited: boolean;
}

/** A call that was reserved, and what its output is compared with should somebody else settle it first. */
export interface ReservedCall extends Permitted {
  readonly tool: Tool;
  readonly args: Json;
  readonly references: References;
}

/** What a look at the session says before an attempt: go on, stop for this reason, or the reservation is no longer there. */
export type Look = { readonly kind: "go" } | { readonly kind: "gone"; readonly verdict: BlockVerdict } | BlockVerdict;

/** What carrying a call through its life needs of the guard. */
export interface CallHost {
  readonly clock: Clock;
  readonly listeners: Listeners;
  /** Judges a call whose arguments were copied, or could not be. Does not wait for an approver. */
  propose(tool: unknown, plain: PlainJson): Promise<Proposed>;
  /** The verdict for the call that asked for an approval; an allow that is not marked `repeated` is its to make. */
  claim(approvalId: string): Promise<Verdict>;
  /** The refusal of a call that somebody else makes. */
  used(): BlockVerdict;
  /** The call waits for its approval no longer. */
  leave(approvalId: string): void;
  /** Takes back a request that nobody waits for any more, or the reservation it has led to meanwhile. */
  withdraw(request: ApprovalVerdict): Promise<void>;
  reserved(permitted: Permitted, tool: string, args: Json): ReservedCall;
  /** Takes in what other processes did meanwhile; the refusal where that cannot be known. */
  catchUp(): Promise<BlockVerdict | null>;
  /** Whether an attempt may still be made, as far as is known here. At once: what is awaited after it could be a kill. */
  look(call: ReservedCall): Look;
  settle(callId: string, outcome: Outcome): Promise<SettleResult>;
  /** The rule that an output breaks, whatever the session knows of its call by now. */
  judgeOutput(call: ReservedCall, output: Json): Violation | null;
}
