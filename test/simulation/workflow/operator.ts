import type { WorkflowSession } from "../../../src/workflow/public.js";
import { Participant } from "./participant.js";

/** Settles what crashed agents left, and kills sessions, subtrees and, in some worlds, the whole workflow. */
export class Operator extends Participant {
  async start(): Promise<void> {
    await this.open();
    await this.watchOver();
  }

  /** Settles everything and closes every session. */
  async closeBooks(): Promise<void> {
    for (const { id } of this.world.view.state().sessions) {
      const session = await this.attach(id);
      if (session === null) throw new Error(`${id} cannot be attached`);
      await this.settleAll(session);
      await this.operation("close", null, () => session.close());
    }
  }

  private async watchOver(): Promise<void> {
    const { scheduler } = this.world;
    const { random } = scheduler;
    while (!this.world.isEnding) {
      await scheduler.sleep(random.next() * 300);
      const { sessions } = this.world.view.state();
      if (sessions.length === 0) continue;
      const { id } = random.pick(sessions);
      const roll = random.below(40);
      if (roll < 2) await this.kill({ scope: "session", session: id });
      else if (roll < 3) await this.kill({ scope: "subtree", session: id });
      else if (roll < 4) await this.kill({ scope: "workflow" });
      else if (roll < 5 && this.world.isShort) await this.kill({ scope: "workflow", operator: "ann" });
      else {
        const session = await this.attach(id);
        if (session !== null) await this.settleAll(session);
      }
    }
  }

  private async kill(kill: { scope: "session" | "subtree" | "workflow"; session?: string; operator?: string }) {
    const { workflow } = this;
    await this.operation(`kill ${kill.scope}`, null, () => workflow.kill({ ...kill, why: "by the operator" }));
  }

  /** Whatever nobody will settle any more: its process has gone, or its outcome is not known. */
  private async settleAll({ guard, id }: WorkflowSession): Promise<void> {
    const { random } = this.world.scheduler;
    for (const { callId, status } of guard.unsettled()) {
      const isAbandoned = this.world.isEnding || status === "indeterminate" || !this.world.isRunBy(id);
      if (!isAbandoned) continue;
      const kind = random.below(2) === 0 ? ("happened" as const) : ("did_not_happen" as const);
      await this.operation(`settle ${kind}`, null, () => guard.settle(callId, { kind }));
      // What commits at dispatch is not taken back.
      await this.operation("settle happened", null, () => guard.settle(callId, { kind: "happened" }));
    }
  }
}
