import type { CompiledTool } from "../../artifact/compiled.js";
import { foreignErrorName } from "../../base/foreign-value.js";
import { notJson } from "../decide/judge-output.js";
import type { BlockVerdict, Violation } from "../public.js";
import { type Failure, NOT_SENT, type Outcome } from "../session/outcome.js";
import { copyOfOutput, leavesEffectUnknown } from "../session/settlement.js";
import { ExecutedButNotRecorded } from "../session/store-errors.js";
import { type PlainJson, plainJson } from "../values/plain-json.js";
import { afterAttempt } from "./after-attempt.js";
import { type CallFailure, isRetried } from "./call-failure.js";
import type { CallHost, ReservedCall } from "./call-host.js";
import { CallScope } from "./call-scope.js";
import { ContractViolation, violationVerdict } from "./contract-violation.js";
import { pause } from "./pause.js";
import { retryWait } from "./retry-wait.js";
import { type Sent, sendCall, untilAborted } from "./send-call.js";

/** Sends one attempt of a call, with arguments of its own and the scope that ends it. */
export type SendAttempt = (args: unknown, scope: CallScope) => unknown;

/** How a call is sent. */
export interface Sending {
  readonly send: SendAttempt;
  readonly followsRedirects: boolean;
  readonly scope: CallScope;
}

/** An unknown outcome; a call that is not known to be unsent counts. */
const UNKNOWN: Failure = { kind: "error" };
/** Settles an output that is not JSON, without reading it again: that might return something else. */
const UNREADABLE: Outcome = { kind: "result", output: Symbol("not JSON") };

/** One reserved call: all attempts share the reservation and its time limit, and however it ends, it is settled. */
export class RunningCall {
  /** The outcome if the call ended now. */
  private ending: Failure = NOT_SENT;
  /** The latest attempt that may have had its effect. */
  private unknown: Failure | null = null;
  private isSettled = false;
  /** The error of the latest attempt. */
  private lastCause: unknown;
  private readonly compiled: CompiledTool | null;

  constructor(
    private readonly host: CallHost,
    private readonly call: ReservedCall,
    private readonly sending: Sending,
  ) {
    this.compiled = call.tool.compiled;
  }

  async run(): Promise<unknown> {
    try {
      return await this.attempts();
    } catch (cause) {
      if (!this.isSettled) await this.settleFailed(cause);
      throw cause;
    }
  }

  /** Settles a call without an output. A failure to record it matters to the caller only if the call may have been executed. */
  private async settleFailed(cause: unknown): Promise<void> {
    try {
      await this.settle(this.ending);
    } catch (fault) {
      const { callId } = this.call;
      if (leavesEffectUnknown(this.compiled, this.ending)) throw new ExecutedButNotRecorded(callId, { cause });
      process.emitWarning(`the end of ${callId}, which was not executed, was not recorded: ${foreignErrorName(fault)}`);
    }
  }

  private async attempts(): Promise<unknown> {
    const { compiled } = this;
    const { scope } = this.sending;
    const now = this.host.clock.now();
    // From the reservation on: when that time has passed, others may take the call for one that nobody makes any more.
    const deadline = compiled === null ? null : Math.min(now, this.call.since ?? now) + compiled.total_ms;
    if (deadline !== null) scope.limit(deadline - now);
    for (let attempt = 1; ; attempt++) {
      await this.catchUp(attempt);
      const sent = await this.attempt(attempt);
      if (sent.kind === "output") return this.commit(sent.output);
      const isLast =
        compiled === null || attempt >= compiled.max_attempts || scope.isAborted || !isRetried(compiled.retry_on, sent);
      if (isLast || !(await this.waitForRetry(compiled, sent, attempt, deadline))) throw sent.cause;
      this.lastCause = sent.cause;
    }
  }

  /** An approval, or the wait before another attempt, may have taken long: other processes may have changed the session. */
  private async catchUp(attempt: number): Promise<void> {
    const { scope } = this.sending;
    scope.throwIfAborted();
    // A call that was just reserved is up to date.
    if (attempt === 1 && !this.call.hasWaited) return;
    // A slow store does not hold a call that has timed out.
    const refused = await untilAborted(() => this.host.catchUp(), scope);
    if (refused !== null) throw this.refusal(refused, attempt);
  }

  private refusal(verdict: BlockVerdict, attempt: number): ContractViolation {
    const told = attempt === 1 ? verdict : afterAttempt(verdict, this.unknown !== null);
    return new ContractViolation(this.call.tool.name, told);
  }

  /** Before every attempt: the session may have been killed, or the call settled by another process. */
  private checkBeforeSending(attempt: number): void {
    this.sending.scope.throwIfAborted();
    const check = this.host.checkBeforeSending(this.call);
    if (check.kind === "block") throw this.refusal(check, attempt);
    if (check.kind === "gone") throw attempt > 1 ? this.lastCause : this.refusal(check.verdict, attempt);
  }

  /** Invariant: nothing is awaited between the check and sending, so that nothing is sent after a kill or an abort. */
  private async attempt(attempt: number): Promise<Sent> {
    const { send, followsRedirects, scope } = this.sending;
    this.checkBeforeSending(attempt);
    this.ending = UNKNOWN;
    // Each attempt gets its own copy of the arguments that were judged.
    const args = plainJson(this.call.args);
    const sent = await sendCall(() => send(args.ok ? args.value : null, scope), scope, followsRedirects);
    if (sent.kind === "failure") {
      if (leavesEffectUnknown(this.compiled, sent.outcome)) this.unknown = sent.outcome;
      // A refusal of a later attempt does not undo what an earlier one may have done.
      this.ending = this.unknown ?? sent.outcome;
    }
    return sent;
  }

  /** Waits before the next attempt; false if there is no time left for it. A kill ends the wait. */
  private async waitForRetry(
    compiled: CompiledTool,
    failure: CallFailure,
    attempt: number,
    deadline: number | null,
  ): Promise<boolean> {
    const now = this.host.clock.now();
    const wait = retryWait(compiled, failure, attempt, now);
    if (deadline !== null && now + wait >= deadline) return false;
    const { signal } = this.sending.scope;
    const scope = new CallScope([signal]);
    const stop = this.host.listeners.on("killed", () => scope.abort(scope));
    try {
      await pause(wait, scope.signal);
    } catch (cause) {
      if (signal.aborted) return false;
      if (cause !== scope) throw cause;
    } finally {
      stop();
      scope.close();
    }
    return true;
  }

  /** Settles a call with an output, and returns the copy that was judged; where nothing is blocked, also what is no JSON. */
  private async commit(output: unknown): Promise<unknown> {
    const plain = copyOfOutput(output);
    const outcome: Outcome = plain.ok ? { kind: "result", output: plain.value } : UNREADABLE;
    const copied = plain.ok ? plain : undefined;
    const own = output === undefined || !plain.ok ? output : plain.value;
    if (!this.host.isWithholding) {
      await this.settle(outcome, copied);
      return own;
    }
    // Judged whatever the settlement says: another process may have settled the call, or recording it may fail.
    const broken = () => (plain.ok ? this.host.judgeOutput(this.call, plain.value) : notJson(plain));
    let violation: Violation | null;
    try {
      const settled = await this.settle(outcome, copied);
      violation = settled.accepted && plain.ok ? (settled.violation ?? null) : broken();
    } catch (cause) {
      violation = broken();
      if (violation === null) throw cause;
      throw new ContractViolation(this.call.tool.name, violationVerdict(violation), { cause });
    }
    if (violation !== null) throw new ContractViolation(this.call.tool.name, violationVerdict(violation));
    return own;
  }

  private async settle(outcome: Outcome, copied?: PlainJson) {
    this.isSettled = true;
    return this.host.settle(this.call.callId, outcome, copied);
  }
}
