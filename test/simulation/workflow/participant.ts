import { openWorkflow, type Workflow, WorkflowRefused, type WorkflowSession } from "../../../src/workflow/public.js";
import { Process } from "../scheduler.js";
import { Broken, must } from "../violation.js";
import type { Watch } from "./watch.js";
import type { World } from "./world.js";

/** Errors that no caller should ever see. */
const BUGS: ReadonlySet<string> = new Set([
  "TypeError",
  "RangeError",
  "ReferenceError",
  "InvariantError",
  "BrokenSession",
]);

/** How an operation ended: with an answer, or with an error that is part of the deal. */
export type Ended<T> = { readonly value: T } | { readonly thrown: unknown };

const STORE_TIMEOUT_MS = 400;

/** How things stood when an operation began. */
interface Before {
  readonly slight: number;
  readonly began: number;
}

interface Asked {
  readonly watch: Watch | null;
  readonly before: Before;
}

/** A process with the workflow opened in it. */
export class Participant {
  readonly process: Process;
  private opened: Workflow | null = null;

  constructor(
    readonly world: World,
    readonly name: string,
  ) {
    this.process = new Process(name);
  }

  get workflow(): Workflow {
    if (this.opened === null) throw new Error(`${this.name} has not opened the workflow`);
    return this.opened;
  }

  /** It is tried until the store answers. */
  async open(): Promise<void> {
    const { scheduler, network, artifact } = this.world;
    const store = network.storeOf(this.process);
    for (;;) {
      const made = await this.operation("openWorkflow", null, () =>
        openWorkflow(artifact, { store, workflowId: "w", env: {}, storeTimeoutMs: STORE_TIMEOUT_MS }),
      );
      if ("value" in made) {
        this.opened = made.value;
        return;
      }
      await scheduler.sleep(50 + scheduler.random.below(500));
    }
  }

  async attach(session: string): Promise<WorkflowSession | null> {
    const { workflow } = this;
    const attached = await this.operation("attach", null, () => workflow.attach(session, { approver: "manual" }));
    return "value" in attached ? attached.value : null;
  }

  /** One operation of the API, from its call to its answer. */
  async operation<T>(kind: string, watch: Watch | null, run: () => Promise<T>): Promise<Ended<T>> {
    const { world } = this;
    const { scheduler, coverage, watches } = world;
    scheduler.say?.(() => `${this.name} begins ${kind}`);
    if (watch !== null) watches.add(watch);
    const before = { slight: world.faults.troubleOf(this.process).slight, began: scheduler.now };
    try {
      const value = await run();
      scheduler.say?.(() => `${this.name} ends ${kind} ${JSON.stringify(value)?.slice(0, 200)}`);
      coverage.hit("operation", kind);
      const { kind: verdict, reason }: { readonly kind?: unknown; readonly reason?: unknown } = Object(value);
      if (verdict === "block") this.refused(kind, String(reason), { watch, before });
      return { value };
    } catch (thrown) {
      scheduler.say?.(() => `${this.name} fails ${kind} ${thrown}`);
      this.judgeError(kind, thrown, { watch, before });
      return { thrown };
    } finally {
      if (watch !== null) watches.delete(watch);
    }
  }

  private refused(kind: string, reason: string, { watch, before }: Asked): void {
    this.world.coverage.hit("reason", reason);
    must(reason !== "guard_fault" && reason !== "artifact_changed", "the guard has no faults", () => reason);
    if (reason === "store_unavailable") this.checkExcuse(kind, before);
    watch?.answered(reason, `${kind} by ${this.name}`);
  }

  private judgeError(kind: string, thrown: unknown, asked: Asked): void {
    if (thrown instanceof Broken) throw thrown;
    if (thrown instanceof WorkflowRefused) {
      this.refused(kind, thrown.verdict.reason, asked);
      return;
    }
    const name = thrown instanceof Error ? thrown.name : "no error";
    const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    must(!BUGS.has(name), "the guard has no faults", () => `${kind}: ${detail}`);
    this.world.coverage.hit("error", name);
    const { reason }: { readonly reason?: unknown } = Object(thrown);
    // Whoever begins the first session of a workflow tries again, as who makes a guard does.
    const isFirst = detail.includes("the artifact could not be recorded");
    if (reason !== "store_contended" && !isFirst) this.checkExcuse(`${kind}: ${detail}`, asked.before);
  }

  /** A store that answers is used: one quick error does not stop a guard. */
  private checkExcuse(what: string, { slight, began }: Before): void {
    const trouble = this.world.faults.troubleOf(this.process);
    // Another decision in the same process may have waited for the store when this one began: to read, to catch up and to write.
    const hasExcuse = trouble.graveAt >= began - 3 * STORE_TIMEOUT_MS || trouble.slight > slight + 1;
    must(hasExcuse, "a store that answers is used", () => `${this.name}: ${what}`);
  }
}
