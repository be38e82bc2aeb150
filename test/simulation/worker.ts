import type { Json } from "../../src/base/json.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { ApprovalAnswer, GuardOptions, Resolution, UnsettledCall } from "../../src/guard/public.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { Caller } from "./caller.js";

type Act = (guard: Guard) => Promise<void>;

/** Works on one session: proposes calls, sends them, settles them, and does whatever else a guard lets it do. */
export class Worker extends Caller {
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
    const wanted = random.below(2) === 0 ? "indeterminate" : null;
    const over = [...calls.values()].filter(({ status }) => (wanted === null ? status !== "open" : status === wanted));
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
