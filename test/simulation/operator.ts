import type { Guard } from "../../src/guard/guard-api.js";
import type { PendingApproval } from "../../src/guard/session/pending-approval.js";
import { Actor } from "./actor.js";
import type { Booked } from "./books.js";
import { GATING_LABEL, READS } from "./pack.js";
import { REQUESTER } from "./sequential-model.js";

/** Looks after one session through a guard of its own: answers, settles, labels, kills, acknowledges. */
export class Operator extends Actor {
  private serial = 0;

  async start(): Promise<void> {
    try {
      const guard = await this.open({});
      await this.watchOver(guard);
    } catch (cause) {
      this.world.fail(cause);
    }
  }

  /** Settles everything that is left, truthfully, and acknowledges every late result. */
  async closeBooks(guard: Guard): Promise<void> {
    await this.acknowledgeAll(guard);
    for (const call of [...this.slot.oracle.books.calls.values()]) {
      if (call.status === "open" || call.status === "indeterminate") await this.settleTruly(guard, call);
    }
    for (const { id } of [...this.slot.oracle.state.unsettled]) {
      await this.operation("settle happened", null, () => guard.settle(id, { kind: "happened" }));
    }
    await this.acknowledgeAll(guard);
  }

  private async watchOver(guard: Guard): Promise<void> {
    const { scheduler, plan } = this.world;
    const { random } = scheduler;
    while (!this.world.isEnding) {
      await scheduler.sleep(20 + random.next() * 500);
      const { approval } = this.slot.oracle.state;
      if (approval !== null && random.next() < plan.answers) await this.answer(guard, approval);
      if (random.below(2) === 0) await this.settleSome(guard);
      if (random.below(3) > 0) await this.acknowledgeAll(guard);
      if (random.below(60) === 0) await this.label(guard);
      if (random.below(60) === 0) await this.acknowledgeNothing(guard);
      if (random.below(250) === 0) await this.kill(guard);
    }
  }

  private why(): string {
    this.serial += 1;
    return `${this.name} ${this.serial}`;
  }

  private async answer(guard: Guard, { id, callId, digest }: PendingApproval): Promise<void> {
    const { random } = this.world.scheduler;
    const by = random.below(10) === 0 ? REQUESTER : random.below(8) === 0 ? "" : this.name;
    const note = this.why();
    const isApproved = random.below(4) > 0;
    const kind = isApproved ? "approve" : "deny";
    const ended = await this.operation(kind, `answer ${note}`, () => guard[kind](id, { by, note }));
    if (!("value" in ended)) return;
    if (ended.value.kind === "recorded") this.world.coverage.hit("verdict", "recorded");
    else this.judged(ended.value, `${this.name} ${callId} ${digest}`);
  }

  private async settleSome(guard: Guard): Promise<void> {
    const { scheduler, faults } = this.world;
    const { oracle } = this.slot;
    const open = [...oracle.books.calls.values()].filter(
      ({ status }) => status === "open" || status === "indeterminate",
    );
    const now = scheduler.now;
    for (const call of open) {
      const isOld = now - (this.slot.since.get(call.callId) ?? now) > 4_000;
      const isOpen = call.status === "open";
      if (faults.happens("wrongSettlement")) await this.settleTooEarly(guard, call);
      else if (isOpen ? isOld : scheduler.random.below(2) === 0) await this.settleTruly(guard, call);
    }
  }

  private async settleTruly(guard: Guard, { callId, ref }: Booked): Promise<void> {
    const truth = this.world.truthOf(this.slot, callId);
    const { random } = this.world.scheduler;
    const outcome =
      truth === "happened" && random.below(2) === 0
        ? { kind: truth, output: { ok: true, id: ref, price: 20 } }
        : { kind: truth };
    const identity = `settle ${callId} ${truth}`;
    await this.operation(`settle ${truth}`, identity, () => guard.settle(callId, outcome));
  }

  /** The request may still be on its way: the operator is wrong if it arrives. */
  private async settleTooEarly(guard: Guard, { callId, ref, tool }: Booked): Promise<void> {
    const { tools, referee, coverage } = this.world;
    const { sessionId } = this.slot;
    if (tools.hasDone(sessionId, ref) || READS.has(tool)) return;
    coverage.hit("fault", "a settlement that may be wrong");
    referee.deniedTooEarly.add(`${sessionId} ${callId}`);
    const identity = `settle ${callId} did_not_happen`;
    await this.operation("settle did_not_happen", identity, () => guard.settle(callId, { kind: "did_not_happen" }));
  }

  private async acknowledgeAll(guard: Guard): Promise<void> {
    const { books } = this.slot.oracle;
    for (const callId of [...books.late]) {
      const happened = this.world.truthOf(this.slot, callId) === "happened";
      const why = this.why();
      const found = { by: this.name, why, happened };
      await this.operation("acknowledge", `operator ${why}`, () => guard.acknowledge(callId, found));
    }
  }

  /** There is nothing to acknowledge, or somebody was faster. */
  private async acknowledgeNothing(guard: Guard): Promise<void> {
    const found = { by: this.name, why: this.why(), happened: true };
    const ended = await this.operation("acknowledge", null, () => guard.acknowledge("call_1", found));
    if ("value" in ended) this.world.coverage.hit("settlement", ended.value.reason ?? "accepted");
  }

  private async label(guard: Guard): Promise<void> {
    const label = this.world.scheduler.random.below(3) === 0 ? GATING_LABEL : `label ${this.why()}`;
    const identity = label === GATING_LABEL ? null : `label ${label}`;
    await this.operation("addLabel", identity, () => guard.addLabel(label));
  }

  private async kill(guard: Guard): Promise<void> {
    const why = `kill ${this.why()}`;
    await this.operation("kill", `kill ${why}`, () => guard.kill(why));
  }
}
