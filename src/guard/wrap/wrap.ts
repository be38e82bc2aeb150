import { foreignErrorName } from "../../base/foreign-value.js";
import { isUsed } from "../approvals/approvals.js";
import type { AllowVerdict, ApprovalVerdict, Verdict } from "../public.js";
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

/** A name for messages; converting anything but a text could run code of the caller. */
function shownName(tool: unknown): string {
  return typeof tool === "string" ? tool : "a tool without a name";
}

/** Whether the state of an approval is unknown because the store could not be read. */
function isStoreFault(verdict: Verdict): boolean {
  return verdict.kind === "block" && (verdict.reason === "store_unavailable" || verdict.reason === "store_contended");
}

/** Wrapped calls of one guard: proposed, approved, sent, retried, settled. */
export class WrappedCalls {
  constructor(private readonly host: CallHost) {}

  wrap(proxyCall: ProxyCall, options: WrapOptions | undefined): ProxyCall {
    if (typeof proxyCall !== "function") throw new TypeError("`wrap` takes the function that sends calls");
    const { followsRedirects } = checkedWrapOptions(options);
    return async (tool, args, given) => {
      const { signal, callKey, reserved, others } = checkedCallOptions(given);
      // Read once, so that what is judged is what is sent.
      const plain = plainJson(args);
      const scope = new CallScope(signal === null ? [] : [signal]);
      try {
        // From here on it is settled, or its approval withdrawn, however early its caller gives up.
        const isReserved = reserved !== undefined && callKey !== undefined;
        const taken = isReserved ? this.host.take(reserved, tool, plain, callKey) : null;
        if (taken === null) scope.throwIfAborted();
        const proposing = taken === null ? this.host.propose(tool, plain, callKey) : this.resumed(taken);
        const isWaited = signal === null || taken !== null;
        const proposed = isWaited ? await proposing : await this.unlessAborted(proposing, scope);
        const permitted = await this.permitted(tool, proposed, scope);
        const hasWaited = permitted.hasWaited || taken !== null;
        // Invariant: arguments that could not be copied were refused.
        const call = this.host.reserved({ ...permitted, hasWaited }, tool, plain.ok ? plain.value : null);
        const { compiled } = call.tool;
        const own = compiled === null ? others : { ...others, retry: false, timeoutMs: compiled.total_ms };
        return await new RunningCall(this.host, call, {
          send: (copy, ending) => {
            const options = {
              ...own,
              get signal() {
                return ending.signal;
              },
            };
            return proxyCall(tool, copy, options);
          },
          followsRedirects,
          scope,
        }).run();
      } finally {
        scope.close();
      }
    };
  }

  /** A proposal that was made before, for the one caller that sends it: it may have been answered meanwhile. */
  private async resumed(verdict: AllowVerdict | ApprovalVerdict): Promise<Proposed> {
    const asked = verdict.kind === "allow" ? null : this.claimed(verdict);
    // Nobody waits for it if the caller has given up.
    asked?.catch(() => undefined);
    return { verdict, asked };
  }

  private async permitted(tool: unknown, { verdict: first, asked }: Proposed, scope: CallScope): Promise<Permitted> {
    // Proposed under its key before: whoever did so sends it.
    if (first.kind !== "block" && first.repeated === true) {
      throw new ContractViolation(shownName(tool), this.host.keyHeld(first));
    }
    const hasWaited = first.kind === "approval_required";
    const verdict = hasWaited ? await this.answered(first, asked, scope) : first;
    if (verdict.kind === "block") throw new ContractViolation(shownName(tool), verdict);
    if (verdict.repeated === true) {
      throw new ContractViolation(shownName(tool), await this.host.used(verdict.callId));
    }
    return { callId: verdict.callId, hasWaited };
  }

  /** A caller that gives up does not wait for a slow store; a reservation that comes later is released. */
  private async unlessAborted(proposing: Promise<Proposed>, scope: CallScope): Promise<Proposed> {
    try {
      return await untilAborted(() => proposing, scope);
    } catch (cause) {
      proposing
        .then(({ verdict }) => this.release(verdict))
        .catch((failure: unknown) => {
          process.emitWarning(`a call that was given up could not be released: ${foreignErrorName(failure)}`);
        });
      throw cause;
    }
  }

  private async release(verdict: Verdict): Promise<void> {
    // What was proposed under its key before is not this caller's to give up.
    if (verdict.kind === "block" || verdict.repeated === true) return;
    if (verdict.kind === "allow") {
      await this.host.settle(verdict.callId, NOT_SENT);
      return;
    }
    await this.host.withdraw(verdict);
    this.host.leave(verdict.approvalId);
  }

  /** Waits for the answer to a request; if the wait ends without one, the request is withdrawn. */
  private async answered(
    request: ApprovalVerdict,
    asked: Promise<Verdict> | null,
    scope: CallScope,
  ): Promise<Exclude<Verdict, ApprovalVerdict>> {
    let verdict: Verdict = request;
    try {
      if (asked !== null) verdict = await untilAborted(() => asked, scope);
      // Another approver was faster; the call may still be this one's to send.
      if (isUsed(verdict)) verdict = await untilAborted(() => this.host.claim(request.approvalId), scope);
      while (verdict.kind === "approval_required") verdict = await this.nextVerdict(verdict, scope);
      if (verdict.kind === "block") await this.host.withdraw(request);
      return verdict;
    } catch (cause) {
      await this.host.withdraw(request);
      throw cause;
    } finally {
      this.host.leave(request.approvalId);
    }
  }

  /** The next verdict on a pending call: after an answer here, or after a while, since others may answer it too. */
  private async nextVerdict(request: ApprovalVerdict, call: CallScope): Promise<Verdict> {
    const { approvalId, deadline } = request;
    const left = Math.max(0, deadline - this.host.clock.now());
    const scope = new CallScope([call.signal]);
    const wake = () => scope.abort(scope);
    const stops = [
      this.host.listeners.on("approval_answered", (event) => {
        if (event.approvalId === approvalId) wake();
      }),
      this.host.listeners.on("killed", wake),
      this.host.watch(wake),
    ];
    try {
      await pause(Math.min(left, POLL_MS), scope.signal);
    } catch (cause) {
      if (cause !== scope) throw cause;
    } finally {
      for (const stop of stops) stop();
      scope.close();
    }
    return untilAborted(() => this.claimed(request), call);
  }

  /** The present verdict on a pending call. A short failure of the store does not end a wait that has time left. */
  private async claimed(request: ApprovalVerdict): Promise<Verdict> {
    const { host } = this;
    const verdict = await host.claim(request.approvalId);
    const mayPass = isStoreFault(verdict) && !host.isStoreClosed();
    return mayPass && host.clock.now() < request.deadline ? request : verdict;
  }
}
