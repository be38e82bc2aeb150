import type { Json } from "../../src/base/json.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { SettleResult, Verdict } from "../../src/guard/public.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { ExecutedButNotRecorded } from "../../src/guard/session/store-errors.js";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";
import { Actor } from "./actor.js";
import { READS } from "./pack.js";
import type { Intent } from "./registry.js";
import { must } from "./violation.js";
import { anyCall, callToApprove } from "./workload.js";

/** What is to be sent. */
type Sendable = Pick<Intent, "tool" | "args" | "ref">;

function outcomeOf(cause: unknown): Outcome {
  const { sent, answered, status, code }: Record<string, unknown> = { ...Object(cause) };
  return {
    kind: "error",
    ...(typeof sent === "boolean" ? { sent } : {}),
    ...(typeof answered === "boolean" ? { answered } : {}),
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}

/** Reads are made again with the same arguments: the log does not tell which is which. */
function identityOf({ tool, digest }: Intent): string | null {
  return READS.has(tool) ? null : `propose ${digest}`;
}

/** Makes calls: proposes them, waits for approvals, sends them, and settles them however they end. */
export class Caller extends Actor {
  protected wrapped: ProxyCall | null = null;
  /** Nobody else answers for this guard. */
  protected isManual = false;
  /** Results that could not be recorded so far. */
  private readonly unrecorded: { readonly callId: string; readonly outcome: Outcome }[] = [];
  private serial = 0;
  /** Calls that were proposed here, and of which nobody was told whether they are recorded. */
  private readonly unheard: string[] = [];

  /** Once it has caught up: what was reserved for nobody is marked, and what was asked for nobody is withdrawn. */
  checkUnheard(count = this.unheard.length): void {
    const { books, state } = this.slot.oracle;
    for (const ref of this.unheard.splice(0, count)) {
      const waiting = [state.approval, ...state.resumable.values()].find(
        (request) => this.world.registry.find(request?.digest)?.ref === ref,
      );
      must(waiting === undefined, "what nobody waits for is withdrawn", () => `${ref} ${waiting?.id}`);
      for (const call of books.byRef.get(ref) ?? []) {
        must(
          call.status !== "open" || call.isUnanswered,
          "what was reserved for nobody is marked",
          () => `${call.callId} ${ref}`,
        );
      }
    }
  }

  private notHeard({ ref, tool }: Intent, key: string | undefined): void {
    // Others may propose the same call under its key.
    if (this.isManual && key === undefined && !READS.has(tool)) this.unheard.push(ref);
  }

  protected ref(): string {
    this.serial += 1;
    return `${this.name}-${this.serial}`;
  }

  protected intent(): Intent {
    const { scheduler, registry, plan } = this.world;
    return plan.answers < 0.1 && scheduler.random.below(2) === 0
      ? callToApprove(scheduler.random, registry, this.ref())
      : anyCall(scheduler.random, registry, this.ref());
  }

  protected proxy(tool: string, args: Json, sender: string): Promise<unknown> {
    const { registry } = this.world;
    const intent = registry.intent(tool, Object(args), this.refOf(tool, args));
    return this.send(intent, sender);
  }

  private refOf(tool: string, args: Json): string {
    const { ref }: { readonly ref?: unknown } = Object(args);
    return typeof ref === "string" ? ref : `${tool} ${JSON.stringify(args)}`;
  }

  private send({ tool, args, ref }: Sendable, sender: string): Promise<unknown> {
    const request = { session: this.slot.sessionId, tool, args, ref, sender };
    this.world.referee.sends(request);
    return this.world.tools.send(this.process, request);
  }

  protected async callWrapped(): Promise<void> {
    const { wrapped } = this;
    if (wrapped === null) return;
    const { random } = this.world.scheduler;
    const intent = this.intent();
    const { tool, args } = intent;
    const sender = `wrapped ${this.ref()}`;
    const giveUp = random.below(12) === 0 ? new AbortController() : null;
    if (giveUp !== null) setTimeout(() => giveUp.abort(), random.next() * 500);
    const options = giveUp === null ? { sender } : { sender, signal: giveUp.signal };
    const kind = giveUp === null ? "call of wrap" : "call of wrap with a signal";
    // What was called and gave up may still be recorded later.
    const identity = giveUp === null ? identityOf(intent) : null;
    const ended = await this.operation(kind, identity, () => wrapped(tool, args, options));
    if ("thrown" in ended && ended.thrown instanceof ExecutedButNotRecorded) this.keep(ended.thrown);
  }

  private keep({ callId, output }: ExecutedButNotRecorded): void {
    if (output !== undefined) this.unrecorded.push({ callId, outcome: { kind: "result", output } });
  }

  protected async callByHand(guard: Guard, callKey?: string, intent = this.intent()): Promise<void> {
    const { tool, args } = intent;
    const who = this.ref();
    const kind = callKey === undefined ? "propose" : "propose with a key";
    const call = callKey === undefined ? { tool, args } : { tool, args, callKey };
    const unheard = this.unheard.length;
    const ended = await this.operation(kind, identityOf(intent), () => guard.propose(call));
    if (!("value" in ended)) return;
    if (isStoreFault(ended.value)) this.notHeard(intent, callKey);
    else this.checkUnheard(Math.min(unheard, this.unheard.length));
    const verdict = await this.awaited(guard, this.judged(ended.value, who), who);
    if (verdict.kind === "allow" && verdict.repeated !== true) await this.carryOut(guard, verdict.callId, intent);
  }

  /** Asks again until the approval has ended, or gives up. */
  private async awaited(guard: Guard, first: Verdict, who: string): Promise<Verdict> {
    const { scheduler } = this.world;
    let verdict = first;
    for (let turn = 0; verdict.kind === "approval_required" && turn < 40 && !this.world.isEnding; turn++) {
      const { approvalId } = verdict;
      if (scheduler.random.below(60) === 0) return verdict;
      await scheduler.sleep(scheduler.random.next() * 2_000);
      const ended = await this.operation("resume", null, () => guard.resume(approvalId));
      if ("value" in ended) verdict = this.judged(ended.value, who);
    }
    return verdict;
  }

  protected async carryOut(guard: Guard, callId: string, intent: Sendable): Promise<void> {
    const outcome = await this.outcome(intent, callId);
    await this.settle(guard, callId, outcome);
  }

  private async outcome(intent: Sendable, callId: string): Promise<Outcome> {
    const { random } = this.world.scheduler;
    if (random.below(25) === 0) return { kind: "error", sent: false };
    const late = new Promise<Outcome>((resolve) => {
      setTimeout(() => resolve({ kind: "timeout" }), 500 + random.below(2_000));
    });
    const sent = this.send(intent, `by hand ${callId} ${this.name}`).then(
      (output): Outcome => ({ kind: "result", output }),
      outcomeOf,
    );
    return Promise.race([sent, late]);
  }

  protected async settle(guard: Guard, callId: string, outcome: Outcome, isMine = true): Promise<void> {
    const identity = isMine ? `settle ${callId} ${outcome.kind}` : null;
    const ended = await this.operation(`settle ${outcome.kind}`, identity, () => guard.settle(callId, outcome));
    if ("thrown" in ended) this.unrecorded.push({ callId, outcome });
    else this.settled(callId, outcome, ended.value);
  }

  private settled(callId: string, outcome: Outcome, { accepted, reason, violation }: SettleResult): void {
    const { coverage } = this.world;
    coverage.hit("settlement", accepted ? (violation === undefined ? "accepted" : "violated") : (reason ?? ""));
    const { calls, late } = this.slot.oracle.books;
    const isDenied = outcome.kind === "result" && calls.get(callId)?.status === "denied";
    must(!isDenied || late.has(callId), "a late result is known", () => callId);
  }

  protected async settleUnrecorded(guard: Guard): Promise<void> {
    for (const { callId, outcome } of this.unrecorded.splice(0)) await this.settle(guard, callId, outcome);
  }
}

const NOT_RECORDED: ReadonlySet<string> = new Set(["store_unavailable", "store_contended", "session_killed"]);

function isStoreFault(verdict: Verdict): boolean {
  return verdict.kind === "block" && NOT_RECORDED.has(verdict.reason);
}
