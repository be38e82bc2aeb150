import type { CompiledTool } from "../artifact/compiled.js";
import { REASONS } from "../artifact/reasons.js";
import { type CallFailure, failureOf, isRetried, retryAfterMs } from "./call-failure.js";
import { CallScope, TimeOver } from "./call-scope.js";
import type { Guard } from "./guard.js";
import { pause } from "./pause.js";
import { plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import type { BlockVerdict, Clock, Verdict } from "./public.js";
import { leavesEffectUnknown, type Outcome, type Violation } from "./settlement.js";
import { unlessAborted } from "./unless-aborted.js";

/**
 * What a wrapped call takes beside its arguments; unknown keys are handed on. For a tool with a contract the guard tries
 * again by itself and keeps the time: the function that sends the call is told `retry: false` and `timeoutMs`.
 */
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
/** No backoff is longer; only an answer that asks for more waits as long as its contract allows. */
const LONGEST_WAIT_MS = 4000;
/** How long an approval given in another process may go unnoticed. */
const POLL_MS = 500;

/** Rejects when the signal aborts, also where the call itself does not listen to it; one that does can say more. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => setImmediate(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

interface SentCall {
  readonly proxyCall: ProxyCall;
  readonly tool: string;
  readonly args: unknown;
  readonly options: CallOptions;
}

/** What one call has to keep to: its contract, its time by the guard's clock, and whoever may call it off. */
interface Limits {
  readonly compiled: CompiledTool | null;
  readonly deadline: number | null;
  readonly signal: AbortSignal;
}

/** Each attempt has arguments of its own to play with. */
function copyOf(args: unknown): unknown {
  const plain = plainJson(args);
  return plain.ok ? plain.value : args;
}

/** One attempt: the output, or what went wrong. */
async function send(
  { proxyCall, tool, args, options }: SentCall,
  signal: AbortSignal,
): Promise<{ readonly output: unknown } | { readonly failure: CallFailure }> {
  if (signal.aborted) return { failure: { cause: signal.reason, outcome: { kind: "error", sent: false }, tokens: [] } };
  try {
    return { output: await untilAborted(proxyCall(tool, copyOf(args), { ...options, signal }), signal) };
  } catch (cause) {
    return { failure: failureOf(cause, cause instanceof TimeOver) };
  }
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
      // Read once: what is judged is what is sent, whatever the caller's object does meanwhile.
      const plain = plainJson(args);
      const judged = plain.ok ? plain.value : args;
      const callId = await this.permitted(tool, judged, options.signal);
      return this.run(callId, { proxyCall, tool, args: judged, options });
    };
  }

  private async permitted(tool: string, args: unknown, signal: AbortSignal | undefined): Promise<string> {
    const proposed = this.guard.propose({ tool, args });
    let verdict: Verdict = await unlessAborted(proposed, signal, (late) => this.takeBack(late));
    while (verdict.kind === "approval_required") {
      const { approvalId, deadline } = verdict;
      const left = Math.max(0, deadline - this.clock.now());
      await this.news(approvalId, Math.min(left, POLL_MS), signal);
      verdict = await this.guard.resume(approvalId);
    }
    if (verdict.kind === "block") throw new ContractViolation(tool, verdict);
    return verdict.callId;
  }

  /** A call that was allowed after its caller gave up was never sent. */
  private async takeBack(verdict: Verdict): Promise<void> {
    if (verdict.kind === "allow") await this.guard.settle(verdict.callId, { kind: "error", sent: false });
    if (verdict.kind === "approval_required")
      await this.guard.deny(verdict.approvalId, { by: "caller", note: "gave up" });
  }

  /** Waits until the approval was answered here, or for a while: it may have been answered elsewhere. */
  private async news(approvalId: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const scope = new CallScope(signal === undefined ? [] : [signal]);
    const stop = this.guard.on("approval_answered", (event) => {
      if (event.approvalId === approvalId) scope.abort(scope);
    });
    try {
      await pause(ms, scope.signal);
    } catch (cause) {
      if (cause !== scope) throw cause;
    } finally {
      stop();
      scope.close();
    }
  }

  private async run(callId: string, call: SentCall): Promise<unknown> {
    const compiled = this.program.tools.get(call.tool)?.compiled ?? null;
    const { signal } = call.options;
    const scope = new CallScope(signal === undefined ? [] : [signal]);
    if (compiled !== null) scope.limit(compiled.total_ms);
    const own = compiled === null ? {} : { retry: false, timeoutMs: compiled.total_ms };
    const deadline = compiled === null ? null : this.clock.now() + compiled.total_ms;
    const sent = { ...call, options: { ...call.options, ...own } };
    try {
      return await this.attempts(callId, sent, { compiled, deadline, signal: scope.signal });
    } finally {
      scope.close();
    }
  }

  /** All attempts share one reservation and one time limit. */
  private async attempts(callId: string, call: SentCall, limits: Limits): Promise<unknown> {
    const { compiled, signal } = limits;
    const most = compiled?.max_attempts ?? 1;
    let unknown: Outcome | null = null;
    for (let attempt = 1; ; attempt++) {
      const sent = await send(call, signal);
      if ("output" in sent) return this.settled(callId, call.tool, sent.output);
      const { failure } = sent;
      const isLast = attempt >= most || signal.aborted || compiled === null || !isRetried(compiled.retry_on, failure);
      const isUnknown = leavesEffectUnknown(compiled, failure.outcome);
      if (isLast || !(await this.paused(compiled, failure, attempt, limits))) {
        // A refusal of the last attempt does not undo what an earlier one may have done.
        await this.guard.settle(callId, isUnknown ? failure.outcome : (unknown ?? failure.outcome));
        throw failure.cause;
      }
      if (isUnknown) unknown = failure.outcome;
    }
  }

  /** Waits before the next attempt; false when there is no time left for it. */
  private async paused(
    compiled: CompiledTool,
    failure: CallFailure,
    attempt: number,
    { deadline, signal }: Limits,
  ): Promise<boolean> {
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2), LONGEST_WAIT_MS);
    const asked =
      failure.outcome.kind === "error" && failure.outcome.status === 429 && compiled.respect_retry_after
        ? retryAfterMs(failure.cause, this.clock.now())
        : null;
    const wait = Math.min(asked ?? backoff, compiled.max_sleep_seconds * 1000);
    if (deadline !== null && this.clock.now() + wait >= deadline) return false;
    try {
      await pause(wait, signal);
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
