import { foreignErrorName } from "../../base/foreign-value.js";
import type { ApprovalVerdict, Verdict } from "../public.js";
import { NOT_SENT } from "../session/outcome.js";
import { plainJson } from "../values/plain-json.js";
import type { CallHost, Permitted, Proposed } from "./call-host.js";
import { checkedCallOptions, checkedWrapOptions, type ProxyCall, type WrapOptions } from "./call-options.js";
import { CallScope } from "./call-scope.js";
import { ContractViolation } from "./contract-violation.js";
import { pause } from "./pause.js";
import { RunningCall } from "./running-call.js";
import { untilAborted } from "./send-call.js";

/** How long an approval given in another process may go unnoticed. */
const POLL_MS = 500;

/** A name as it may stand in a message; what is no text might do anything when it is turned into one. */
function shownName(tool: unknown): string {
  return typeof tool === "string" ? tool : "a tool without a name";
}

/** Whether an approval was answered by somebody else than the approver that was asked. */
function isUsed(verdict: Verdict): boolean {
  return verdict.kind === "allow"
    ? verdict.repeated === true
    : "reason" in verdict && verdict.reason === "approval_used";
}

/** Whether nothing is known of an approval because the store could not be read. */
function isAway(verdict: Verdict): boolean {
  return verdict.kind === "block" && (verdict.reason === "store_unavailable" || verdict.reason === "store_contended");
}

/** Carries calls of one guard through their life: proposed, approved, sent, retried, settled. */
export class WrappedCalls {
  constructor(private readonly host: CallHost) {}

  wrap(proxyCall: ProxyCall, options: WrapOptions | undefined): ProxyCall {
    if (typeof proxyCall !== "function") throw new TypeError("`wrap` takes the function that sends calls");
    const { followsRedirects } = checkedWrapOptions(options);
    return async (tool, args, given) => {
      const { signal, others } = checkedCallOptions(given);
      // Read once: what is judged is what is sent, whatever the caller's object does meanwhile.
      const plain = plainJson(args);
      const scope = new CallScope(signal === null ? [] : [signal]);
      try {
        scope.signal.throwIfAborted();
        const proposing = this.host.propose(tool, plain);
        const proposed = signal === null ? await proposing : await this.unlessAborted(proposing, scope.signal);
        const permitted = await this.permitted(tool, proposed, scope.signal);
        // Invariant: what could not be copied was refused.
        const call = this.host.reserved(permitted, tool, plain.ok ? plain.value : null);
        const { compiled } = call.tool;
        const own = compiled === null ? others : { ...others, retry: false, timeoutMs: compiled.total_ms };
        const send = (copy: unknown, ending: AbortSignal) => proxyCall(tool, copy, { ...own, signal: ending });
        return await new RunningCall(this.host, call, { send, followsRedirects, scope }).run();
      } finally {
        scope.close();
      }
    };
  }

  private async permitted(tool: unknown, { verdict: first, asked }: Proposed, signal: AbortSignal): Promise<Permitted> {
    const hasWaited = first.kind === "approval_required";
    const verdict = hasWaited ? await this.answered(first, asked, signal) : first;
    if (verdict.kind === "block") throw new ContractViolation(shownName(tool), verdict);
    if (verdict.repeated === true) throw new ContractViolation(shownName(tool), this.host.used());
    return { callId: verdict.callId, hasWaited };
  }

  /** A store that is slow does not keep a caller who gave up; what it reserves after that is given back. */
  private async unlessAborted(proposing: Promise<Proposed>, signal: AbortSignal): Promise<Proposed> {
    try {
      return await untilAborted(() => proposing, signal);
    } catch (cause) {
      proposing
        .then(({ verdict }) => this.giveBack(verdict))
        .catch((failure: unknown) => {
          process.emitWarning(`a call that nobody waits for could not be released: ${foreignErrorName(failure)}`);
        });
      throw cause;
    }
  }

  private async giveBack(verdict: Verdict): Promise<void> {
    if (verdict.kind === "allow") await this.host.settle(verdict.callId, NOT_SENT);
    if (verdict.kind !== "approval_required") return;
    await this.host.withdraw(verdict);
    this.host.leave(verdict.approvalId);
  }

  /** Waits for the answer to a request; however the wait ends without one, the request does not outlive it. */
  private async answered(
    request: ApprovalVerdict,
    asked: Promise<Verdict> | null,
    signal: AbortSignal,
  ): Promise<Exclude<Verdict, ApprovalVerdict>> {
    let verdict: Verdict = request;
    try {
      if (asked !== null) verdict = await untilAborted(() => asked, signal);
      // Somebody was faster than the approver; the call may be this one's to make all the same.
      if (isUsed(verdict)) verdict = await untilAborted(() => this.host.claim(request.approvalId), signal);
      while (verdict.kind === "approval_required") verdict = await this.news(verdict, signal);
      if (verdict.kind === "block") await this.host.withdraw(request);
      return verdict;
    } catch (cause) {
      await this.host.withdraw(request);
      throw cause;
    } finally {
      this.host.leave(request.approvalId);
    }
  }

  /** The next verdict on a call that waits: once it was answered, or after a while, for that may happen elsewhere. */
  private async news(request: ApprovalVerdict, signal: AbortSignal): Promise<Verdict> {
    const { approvalId, deadline } = request;
    const left = Math.max(0, deadline - this.host.clock.now());
    const scope = new CallScope([signal]);
    const wake = () => scope.abort(scope);
    const stops = [
      this.host.listeners.on("approval_answered", (event) => {
        if (event.approvalId === approvalId) wake();
      }),
      this.host.listeners.on("killed", wake),
    ];
    try {
      await pause(Math.min(left, POLL_MS), scope.signal);
    } catch (cause) {
      if (cause !== scope) throw cause;
    } finally {
      for (const stop of stops) stop();
      scope.close();
    }
    const verdict = await untilAborted(() => this.host.claim(approvalId), signal);
    // A store that is away for a moment does not end a wait that has time left.
    return isAway(verdict) && this.host.clock.now() < deadline ? request : verdict;
  }
}
