import type { ModelRequest, ModelResponse, RequestVerdict, ResponseVerdict } from "./model/public.js";
import type {
  Acknowledgement,
  Answer,
  BlockVerdict,
  GuardEvents,
  ProposedCall,
  RecordedAnswer,
  SessionState,
  SettleResult,
  StepVerdict,
  UnsettledCall,
  Verdict,
  VisibleTools,
} from "./public.js";
import type { Outcome } from "./session/outcome.js";
import type { ProxyCall, WrapOptions } from "./wrap/call-options.js";

/** The guard of one session: judges each call before it is sent, and records what happened. Make it with `createGuard`. */
export interface Guard {
  readonly sessionId: string;
  /** Of the artifact that the session is judged by. */
  readonly artifactHash: string;

  /** Adds a listener; the function it returns removes it. */
  on<K extends keyof GuardEvents>(name: K, listener: (event: GuardEvents[K]) => void): () => void;

  /**
   * Judges a call. `allow` reserves it: settle it under its id, however it ends. A `callKey` that a call of the session
   * already has gets the same verdict again, marked `repeated`, and reserves nothing.
   */
  propose(call: ProposedCall): Promise<Verdict>;

  /**
   * Reports the outcome of a call. If it cannot be recorded within `settleTimeoutMs`, a result rejects with
   * ExecutedButNotRecorded, which holds it, and every other outcome with StoreUnavailable.
   */
  settle(callId: string, outcome: Outcome): Promise<SettleResult>;

  /** The calls that were reserved and not settled, the oldest first. */
  unsettled(): readonly UnsettledCall[];

  /** Records whether a call happened whose result came after it was settled as `did_not_happen`. Until then calls are blocked. */
  acknowledge(callId: string, found: Acknowledgement): Promise<SettleResult>;

  /**
   * Approves a pending call, which is then judged again against the present state. If a wrapped call of this guard waits for
   * the approval, that call is sent, and the verdict here is marked `repeated`. If another guard proposed the call, or more people
   * have to approve it, the answer is recorded.
   */
  approve(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer>;

  /** Denies a pending call. If another guard proposed it, the answer is recorded. */
  deny(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer>;

  /** The verdict on a call that needed an approval. Only one caller gets an `allow` without `repeated: true`. */
  resume(approvalId: string): Promise<Verdict>;

  /** Every check that would refuse a call now, in the order of the checks. Changes nothing. */
  explain(call: ProposedCall): readonly BlockVerdict[];

  /** Judges the body of a request before it is sent to a model. Changes nothing. */
  checkRequest(given: ModelRequest): RequestVerdict;

  /** Judges the body of a model's response before its calls are proposed. Changes nothing. */
  checkResponse(given: ModelResponse): ResponseVerdict;

  /** The tools to offer the model now, and for each other tool the reason why it is hidden. */
  visibleTools(): VisibleTools;

  /** A copy of the present state of the session. */
  state(): SessionState;

  /** Begins a step, one turn of the model. Without it every call is a step of its own. */
  beginStep(): Promise<StepVerdict>;

  /** Adds to the cost of the session, in US dollars. */
  recordCost(usd: number): Promise<void>;

  /** Adds a label to the session; labels are never removed. */
  addLabel(label: string): Promise<void>;

  /**
   * Ends the session permanently: in this guard at once, in the store as soon as it answers. Rejects with StoreUnavailable
   * when that takes too long; the session is over here in any case, and the guard keeps trying to record it. A session that was
   * moved to another artifact ends there too, or the promise rejects with SessionRefused.
   */
  kill(why: string): Promise<void>;

  /**
   * The same function, guarded: a refused call throws ContractViolation and is not sent. Before a retry it may be refused too: then
   * the hint says what became of the attempt before.
   */
  wrap(proxyCall: ProxyCall, options?: WrapOptions): ProxyCall;
}
