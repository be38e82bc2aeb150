import type { Guard } from "../../../src/guard/guard-api.js";
import type { Verdict } from "../../../src/guard/public.js";
import type { Outcome } from "../../../src/guard/session/outcome.js";
import type { WorkflowSession } from "../../../src/workflow/public.js";
import { ALIASES, KEYS, TOOLS } from "./pack.js";
import { Participant } from "./participant.js";
import { reasonsOfBeginning, reasonsOfCall, reasonsOfStep } from "./watch.js";

type Act = () => Promise<void>;

/** A process that runs several sessions: begins them, hands off, calls, closes, and takes over what others left. */
export class Agent extends Participant {
  readonly sessions = new Map<string, WorkflowSession>();
  private readonly acts: readonly { readonly weight: number; readonly act: Act }[] = [
    { weight: 8, act: () => this.begin() },
    { weight: 12, act: () => this.handOff() },
    { weight: 60, act: () => this.call() },
    { weight: 3, act: () => this.step() },
    { weight: 4, act: () => this.spend() },
    { weight: 4, act: () => this.closeOne() },
    { weight: 5, act: () => this.adopt() },
    { weight: 3, act: () => this.look() },
  ];

  async start(): Promise<void> {
    await this.open();
    for (let thread = 0; thread < 2; thread += 1) void this.work().catch((cause) => this.world.fail(cause));
  }

  private async work(): Promise<void> {
    const { scheduler } = this.world;
    while (!this.world.isEnding) {
      await scheduler.sleep(scheduler.random.next() * 40);
      let left = scheduler.random.below(this.acts.reduce((sum, { weight }) => sum + weight, 0));
      const chosen = this.acts.find(({ weight }) => {
        left -= weight;
        return left < 0;
      });
      await chosen?.act();
    }
  }

  private async begin(): Promise<void> {
    const { workflow } = this;
    const sessionId = this.world.newSessionId();
    const watch = reasonsOfBeginning(this.world.view, null);
    const options = { sessionId, approver: "manual" } as const;
    const begun = await this.operation("start", watch, () => workflow.start("lead", options));
    if ("value" in begun) this.sessions.set(sessionId, begun.value);
  }

  private async handOff(): Promise<void> {
    const parent = this.any();
    if (parent === null || parent.role === "helper") return;
    const sessionId = this.world.newSessionId();
    const watch = reasonsOfBeginning(this.world.view, parent.id);
    const role = parent.role === "lead" ? "worker" : "helper";
    const options = { sessionId, approver: "manual", artifacts: { task: "do it" } } as const;
    const begun = await this.operation("handoff", watch, () => parent.handoff(role, options));
    if ("value" in begun) this.sessions.set(sessionId, begun.value);
  }

  private async call(): Promise<void> {
    const session = this.any();
    if (session === null) return;
    const { random } = this.world.scheduler;
    const { id, guard } = session;
    const touched = random.below(8) === 0 ? ALIASES.slice(0, 2) : [random.pick(ALIASES)];
    const args = Object.fromEntries(touched.map((alias) => [alias, random.pick(KEYS)]));
    const tool = random.pick(TOOLS);
    const watch = reasonsOfCall(this.world.view, id, { tool, args });
    const proposed = await this.operation("propose", watch, () => guard.propose({ tool, args }));
    if (!("value" in proposed)) return;
    const verdict = await this.answered(guard, proposed.value);
    if (verdict.kind === "allow") await this.carryOut(guard, verdict.callId);
  }

  /** Somebody approves now and then; otherwise the request expires. */
  private async answered(guard: Guard, verdict: Verdict): Promise<Verdict> {
    if (verdict.kind !== "approval_required") return verdict;
    const { scheduler } = this.world;
    await scheduler.sleep(scheduler.random.next() * 200);
    const { approvalId } = verdict;
    if (scheduler.random.below(4) === 0) return verdict;
    const answered = await this.operation("approve", null, () => guard.approve(approvalId, { by: "ann" }));
    return "value" in answered && answered.value.kind !== "recorded" ? answered.value : verdict;
  }

  private async carryOut(guard: Guard, callId: string): Promise<void> {
    const { scheduler } = this.world;
    await scheduler.sleep(scheduler.random.next() * 60);
    await this.operation("settle", null, () => guard.settle(callId, this.outcome()));
  }

  private outcome(): Outcome {
    const roll = this.world.scheduler.random.below(10);
    if (roll < 6) return { kind: "result", output: {} };
    if (roll < 8) return { kind: "error", sent: false };
    return roll < 9 ? { kind: "timeout" } : { kind: "error", status: 503 };
  }

  private async step(): Promise<void> {
    const session = this.any();
    if (session === null) return;
    const watch = reasonsOfStep(this.world.view, session.id);
    await this.operation("beginStep", watch, () => session.guard.beginStep());
  }

  private async spend(): Promise<void> {
    const session = this.any();
    if (session !== null) await this.operation("recordCost", null, () => session.guard.recordCost(0.1));
  }

  private async closeOne(): Promise<void> {
    const session = this.any();
    if (session === null) return;
    await this.operation("close", null, () => session.close());
    if (this.world.scheduler.random.below(3) > 0) this.sessions.delete(session.id);
  }

  private async adopt(): Promise<void> {
    const { scheduler, view } = this.world;
    const known = view.state().sessions.filter(({ id }) => !this.sessions.has(id));
    if (known.length === 0) return;
    const { id } = scheduler.random.pick(known);
    const attached = await this.attach(id);
    if (attached !== null) this.sessions.set(id, attached);
  }

  private async look(): Promise<void> {
    const { workflow } = this;
    await this.operation("state", null, () => workflow.state());
  }

  /** One of its sessions, mostly one that goes on. */
  private any(): WorkflowSession | null {
    const { scheduler, view } = this.world;
    const all = [...this.sessions.values()];
    const going = scheduler.random.below(8) === 0 ? [] : all.filter(({ id }) => view.ended(id) === null);
    const few = going.length > 0 ? going : all;
    return few.length === 0 ? null : scheduler.random.pick(few);
  }
}
