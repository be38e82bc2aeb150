import type { CompiledTool } from "../artifact/compiled.js";
import { REASONS } from "../artifact/reasons.js";
import { type CallFailure, failureOf, isRetried, retryAfterMs } from "./call-failure.js";
import type { Guard } from "./guard.js";
import { plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import type { BlockVerdict, Clock, Verdict } from "./public.js";
import { leavesEffectUnknown, type Outcome, type Violation } from "./settlement.js";

/** What a wrapped call takes beside its arguments; unknown keys are handed on. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly [key: string]: unknown;
}

/** A function that sends a tool call out. */
export type ProxyCall = (tool: string, args: unknown, options?: CallOptions) => Promise<unknown>;

/** Thrown instead of making a call that the contracts refuse, or of handing on an output that breaks them. */
export class ContractViolation extends Error {
  /** Not enumerable: what was found may be private, and errors end up in logs. */
  declare readonly verdict: BlockVerdict;

  constructor(tool: string, verdict: BlockVerdict) {
    const { reason, message, rule, hint } = verdict;
    const place = rule === undefined ? "" : ` (${rule.file}:${rule.line})`;
    super(`${tool}: ${reason}: ${message}${place}${hint === undefined ? "" : `; ${hint}`}`);
    this.name = "ContractViolation";
    Object.defineProperty(this, "verdict", { value: verdict, enumerable: false });
  }
}

/** Backoff of the first retry, doubled for each further one. */
const FIRST_WAIT_MS = 500;
/** How long an approval given in another process may go unnoticed. */
const POLL_MS = 500;

class TimedOut extends Error {}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** Rejects as soon as the signal aborts, also where the call itself does not listen to it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Carries calls of one guard through their life: proposed, approved, sent, retried, settled. */
export class WrappedCalls {
  constructor(
    private readonly guard: Guard,
    private readonly program: Program,
    private readonly clock: Clock,
  ) {}

  wrap(proxyCall: ProxyCall): ProxyCall {
    return async (tool, args, options = {}) => {
      const plain = plainJson(args);
      const verdict = await this.permitted(tool, args, options.signal);
      // What was judged is what is sent, whatever became of the caller's object meanwhile.
      const judged = plain.ok ? plain.value : args;
      return this.run(verdict, { proxyCall, tool, args: judged, options });
    };
  }

  private async permitted(tool: string, args: unknown, signal: AbortSignal | undefined): Promise<string> {
    let verdict: Verdict = await this.guard.propose({ tool, args });
    while (verdict.kind === "approval_required") {
      const { approvalId, deadline } = verdict;
      const left = Math.max(0, deadline - this.clock.now());
      await sleep(Math.min(left, POLL_MS), signal ?? new AbortController().signal);
      verdict = await this.guard.resume(approvalId);
    }
    if (verdict.kind === "block") throw new ContractViolation(tool, verdict);
    return verdict.callId;
  }

  private async run(
    callId: string,
    call: { proxyCall: ProxyCall; tool: string; args: unknown; options: CallOptions },
  ): Promise<unknown> {
    const compiled = this.program.tools.get(call.tool)?.compiled ?? null;
    const timeout = new AbortController();
    const timer =
      compiled === null ? undefined : setTimeout(() => timeout.abort(new TimedOut("timed out")), compiled.total_ms);
    const signals = [timeout.signal, ...(call.options.signal === undefined ? [] : [call.options.signal])];
    const signal = AbortSignal.any(signals);
    try {
      const output = await this.attempts(callId, call, compiled, signal);
      return output;
    } finally {
      clearTimeout(timer);
    }
  }

  private async attempts(
    callId: string,
    call: { proxyCall: ProxyCall; tool: string; args: unknown; options: CallOptions },
    compiled: CompiledTool | null,
    signal: AbortSignal,
  ): Promise<unknown> {
    const most = compiled?.max_attempts ?? 1;
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt++) {
      let failure: CallFailure;
      try {
        const output = await untilAborted(call.proxyCall(call.tool, call.args, { ...call.options, signal }), signal);
        return await this.settled(callId, call.tool, output);
      } catch (cause) {
        if (cause instanceof ContractViolation) throw cause;
        failure = failureOf(cause, cause instanceof TimedOut);
      }
      mayHaveHappened ||= leavesEffectUnknown(compiled, failure.outcome);
      const isLast = attempt >= most || signal.aborted || compiled === null || !isRetried(compiled.retry_on, failure);
      if (!isLast && (await this.paused(compiled, failure, attempt, signal))) continue;
      await this.guard.settle(callId, mayHaveHappened ? unknownOutcome(failure.outcome) : failure.outcome);
      throw failure.cause;
    }
  }

  /** Waits before the next attempt; false when there is no time left for it. */
  private async paused(
    compiled: CompiledTool,
    failure: CallFailure,
    attempt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const backoff = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    const asked =
      failure.outcome.kind === "error" && failure.outcome.status === 429 && compiled.respect_retry_after
        ? retryAfterMs(failure.cause, this.clock.now())
        : null;
    const wait = Math.min(asked ?? backoff, compiled.max_sleep_seconds * 1000);
    try {
      await sleep(wait, signal);
      return true;
    } catch (cause) {
      if (cause === signal.reason) return false;
      throw cause;
    }
  }

  private async settled(callId: string, tool: string, output: unknown): Promise<unknown> {
    const { violation } = await this.guard.settle(callId, { kind: "result", output });
    if (violation !== undefined) throw new ContractViolation(tool, violationVerdict(violation));
    return output;
  }
}

function violationVerdict({ reason, rule, required, found }: Violation): BlockVerdict {
  return { kind: "block", reason, message: REASONS[reason], ...(rule === null ? {} : { rule }), required, found };
}

/** A refusal of the last attempt does not undo what an earlier one may have done. */
function unknownOutcome(last: Outcome): Outcome {
  return last.kind === "timeout" ? { kind: "timeout", sent: true } : { kind: "error", sent: true };
}
