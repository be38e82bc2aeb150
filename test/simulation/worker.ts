import type { Json } from "../../src/base/json.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type {
  ApprovalAnswer,
  GuardOptions,
  Resolution,
  SettleResult,
  UnsettledCall,
  Verdict,
} from "../../src/guard/public.js";
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

type Act = (guard: Guard) => Promise<void>;

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

/** Works on one session: proposes calls, sends them, settles them, and does whatever else a guard lets it do. */
export class Worker extends Actor {
  private wrapped: ProxyCall | null = null;
  /** Results that could not be recorded so far. */
  private readonly unrecorded: { readonly callId: string; readonly outcome: Outcome }[] = [];
  private serial = 0;
  /** Nobody else answers for this guard. */
  private isManual = false;
  /** Calls that were proposed here, and of which nobody was told whether they are recorded. */
  private readonly unheard: string[] = [];

  /** What it does, and how often. */
  private readonly acts: readonly { readonly weight: number; readonly act: Act }[] = [
    { weight: 40, act: () => this.callWrapped() },
    { weight: 22, act: (guard) => this.callByHand(guard) },
    { weight: 8, act: (guard) => this.callWithKey(guard) },
    { weight: 6, act: (guard) => this.resumeOther(guard) },
    { weight: 5, act: (guard) => this.begin(guard) },
    { weight: 4, act: (guard) => this.spend(guard) },
    { weight: 6, act: (guard) => this.look(guard) },
    { weight: 8, act: (guard) => this.tidy(guard) },
    { weight: 2, act: (guard) => this.settleAgain(guard) },
    { weight: 2, act: (guard) => this.proposeNonsense(guard) },
    { weight: 1, act: (guard) => this.quit(guard) },
  ];

  async start(): Promise<void> {
    const { scheduler, coverage, plan } = this.world;
    const { random } = scheduler;
    this.isManual = random.below(3) > 0;
    const guard = await this.open({
      ...(this.isManual ? {} : { approver: (request) => this.approve(request.approvalId) }),
      ...(random.below(3) === 0 ? { resolver: (call) => this.resolve(call) } : {}),
    } satisfies GuardOptions);
    coverage.hit("operation", "wrap");
    this.wrapped = guard.wrap((tool, args, given) => this.proxy(tool, args as Json, String(given?.sender)));
    for (let thread = 0; thread < plan.threads; thread++) void this.guarded(() => this.work(guard));
  }

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

  private async work(guard: Guard): Promise<void> {
    const { scheduler, plan } = this.world;
    while (!this.world.isEnding) {
      await scheduler.sleep(scheduler.random.next() * plan.paceMs);
      let left = scheduler.random.below(this.acts.reduce((sum, { weight }) => sum + weight, 0));
      const chosen = this.acts.find(({ weight }) => {
        left -= weight;
        return left < 0;
      });
      await chosen?.act(guard);
    }
    await this.settleUnrecorded(guard);
  }

  /** What fails here is a finding, not a rejection that nobody hears of. */
  private async guarded(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (cause) {
      this.world.fail(cause);
    }
  }

  private ref(): string {
    this.serial += 1;
    return `${this.name}-${this.serial}`;
  }

  private intent(): Intent {
    const { scheduler, registry, plan } = this.world;
    return plan.answers < 0.1 && scheduler.random.below(2) === 0
      ? callToApprove(scheduler.random, registry, this.ref())
      : anyCall(scheduler.random, registry, this.ref());
  }

  private proxy(tool: string, args: Json, sender: string): Promise<unknown> {
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

  private async callWrapped(): Promise<void> {
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

  private async callByHand(guard: Guard, callKey?: string, intent = this.intent()): Promise<void> {
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

  private async carryOut(guard: Guard, callId: string, intent: Sendable): Promise<void> {
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

  private async settle(guard: Guard, callId: string, outcome: Outcome, isMine = true): Promise<void> {
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

  private async settleUnrecorded(guard: Guard): Promise<void> {
    for (const { callId, outcome } of this.unrecorded.splice(0)) await this.settle(guard, callId, outcome);
  }

  /** Several callers use one key now and then; only one of them sends the call. */
  private async callWithKey(guard: Guard): Promise<void> {
    const { random } = this.world.scheduler;
    const { keys } = this.slot;
    const isKnown = keys.length > 0 && random.below(2) === 0;
    const keyed = isKnown ? random.pick(keys) : { key: `key ${this.ref()}`, intent: this.intent() };
    if (!isKnown) keys.push(keyed);
    const intent = random.below(8) === 0 ? this.intent() : keyed.intent;
    await this.callByHand(guard, keyed.key, intent);
  }

  /** Somebody else may have asked for the approval, and be gone. */
  private async resumeOther(guard: Guard): Promise<void> {
    const { state } = this.slot.oracle;
    const { random } = this.world.scheduler;
    const requests = [...state.resumable.values(), ...(state.approval === null ? [] : [state.approval])];
    const ids = [...requests.map(({ id }) => id), ...[...state.answered.keys()].slice(-3), "approval_99@nowhere"];
    const id = random.pick(ids);
    const who = this.ref();
    const ended = await this.operation("resume", null, () => guard.resume(id));
    if (!("value" in ended)) return;
    const verdict = this.judged(ended.value, who);
    if (verdict.kind !== "allow" || verdict.repeated === true) return;
    const call = this.slot.oracle.books.calls.get(verdict.callId);
    if (call !== undefined) await this.carryOut(guard, verdict.callId, call);
  }

  private async begin(guard: Guard): Promise<void> {
    const ended = await this.operation("beginStep", null, () => guard.beginStep());
    if ("value" in ended && ended.value.kind === "block") this.judged(ended.value, "");
  }

  private async spend(guard: Guard): Promise<void> {
    const usd = (1 + this.world.scheduler.random.below(1_000_000)) / 1_000_000;
    await this.operation("recordCost", `cost ${usd}`, () => guard.recordCost(usd));
  }

  private async look(guard: Guard): Promise<void> {
    const { tool, args } = this.intent();
    await this.operation("explain", null, () => guard.explain({ tool, args }));
    await this.operation("visibleTools", null, () => guard.visibleTools());
    await this.operation("state", null, () => guard.state());
    const model = this.world.scheduler.random.below(2) === 0 ? "gpt-4o" : "gpt-4o-2024-08-06";
    const request = { model, messages: [], stream: true, seed: 1 };
    await this.operation("checkRequest", null, () => guard.checkRequest({ provider: "openai", request }));
    const call = { id: "1", type: "function", function: { name: "pay", arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const response = { choices: [{ index: 0, finish_reason: "tool_calls", message }] };
    await this.operation("checkResponse", null, () => guard.checkResponse({ provider: "openai", response }));
  }

  /** Settles what could not be recorded before, and what was reserved for nobody. */
  private async tidy(guard: Guard): Promise<void> {
    await this.settleUnrecorded(guard);
    const ended = await this.operation("unsettled", null, () => guard.unsettled());
    const calls = "value" in ended ? ended.value.filter(({ origin }) => origin === "unanswered") : [];
    for (const { callId } of calls) {
      this.world.coverage.hit("operation", "settle what was not answered");
      await this.settle(guard, callId, { kind: "did_not_happen" }, false);
    }
  }

  /** A settlement that nobody should accept. */
  private async settleAgain(guard: Guard): Promise<void> {
    const { random } = this.world.scheduler;
    const { calls } = this.slot.oracle.books;
    const over = [...calls.values()].filter(({ status }) => status !== "open");
    const known = over.length === 0 ? undefined : random.pick(over);
    const isOpen = known?.isAtDispatch === true;
    const callId = known === undefined || random.below(3) === 0 ? "call_9999" : known.callId;
    const outcome: Outcome = isOpen ? { kind: "did_not_happen" } : { kind: "timeout" };
    await this.settle(guard, callId, outcome, false);
  }

  private async proposeNonsense(guard: Guard): Promise<void> {
    const { scheduler, registry, plan } = this.world;
    const { random } = scheduler;
    // Where nothing is refused, such a call is reserved without its arguments, and nobody could tell which one it is.
    if (plan.mode !== "enforce") return;
    registry.intent("no_such_tool", {}, "no such tool");
    const tool = random.below(3) === 0 ? (7 as unknown as string) : random.below(2) === 0 ? "pay" : "no_such_tool";
    const args = tool === "pay" ? "no object" : {};
    const ended = await this.operation("propose", null, () => guard.propose({ tool, args }));
    if ("value" in ended) this.judged(ended.value, this.ref());
  }

  private async quit(guard: Guard): Promise<void> {
    if (this.world.scheduler.random.below(10) > 0) return;
    const why = `quit ${this.ref()}`;
    await this.operation("kill", `kill ${why}`, () => guard.kill(why));
  }

  private async approve(approvalId: string): Promise<ApprovalAnswer> {
    const { scheduler } = this.world;
    const { random } = scheduler;
    await scheduler.sleep(random.below(20) === 0 ? 60_000 : random.next() * 3_000);
    if (random.below(10) === 0) throw new Error("the approver is ill");
    const decision = random.below(5) === 0 ? "deny" : "approve";
    return { decision, by: `approver-${random.below(3)}`, note: `${approvalId} ${this.ref()}` };
  }

  private async resolve({ callId }: UnsettledCall): Promise<Resolution> {
    const { scheduler, coverage } = this.world;
    await scheduler.sleep(scheduler.random.next() * 20);
    coverage.hit("operation", "resolver");
    if (scheduler.random.below(4) === 0) return "unknown";
    return this.world.truthOf(this.slot, callId);
  }
}

const NOT_RECORDED: ReadonlySet<string> = new Set(["store_unavailable", "store_contended", "session_killed"]);

function isStoreFault(verdict: Verdict): boolean {
  return verdict.kind === "block" && NOT_RECORDED.has(verdict.reason);
}
