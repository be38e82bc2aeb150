import { Actor } from "./actor.js";
import { Coverage } from "./coverage.js";
import { EXPECTED } from "./expected.js";
import { Operator } from "./operator.js";
import type { Task } from "./scheduler.js";
import { Broken, must, takeBroken } from "./violation.js";
import { installVirtualTime } from "./virtual-globals.js";
import { Worker } from "./worker.js";
import { type Slot, World } from "./world.js";

/** How many steps one world lasts before it is brought to an end. */
const WORLD_STEPS = 4_000;
/** Nothing takes longer to come to rest. */
const MOST_CLOSING_STEPS = 20_000;

/** What went wrong, and how to see it again. */
export interface Finding {
  readonly seed: number;
  readonly world: number;
  readonly step: number;
  readonly invariant: string;
  readonly detail: string;
}

export interface Report {
  readonly steps: number;
  readonly worlds: number;
  readonly records: number;
  readonly compared: number;
  /** Of everything that happened: two runs of a seed have the same. */
  readonly trace: number;
  readonly coverage: Coverage;
  readonly finding: Finding | null;
}

const FAULTS: ReadonlySet<string> = new Set(["store_unavailable", "store_contended", "guard_fault"]);

const drain = setImmediate;

/** Everything that promises still have to do in this step. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    drain(resolve);
  });
}

/** One world, step by step. */
class Run {
  steps = 0;
  compared = 0;
  trace = 0;
  readonly world: World;

  constructor(seed: number, world: number, coverage: Coverage) {
    this.world = new World(seed, world, coverage);
  }

  async play(most: number): Promise<void> {
    const { world } = this;
    world.open();
    while (this.steps < most) {
      if (!(await this.step())) break;
      world.strike();
      world.renew();
    }
    await this.close();
  }

  /** The next thing happens, and everything that follows at once; false if nothing is left. */
  private async step(): Promise<boolean> {
    const { scheduler } = this.world;
    const task = scheduler.next();
    if (task === undefined) return false;
    this.steps += 1;
    task.run();
    await drained();
    const broken = takeBroken();
    if (broken !== null) throw broken;
    if (this.world.failure !== null) throw this.world.failure.cause;
    this.checkOwner(task);
    return true;
  }

  private checkOwner({ owner, time }: Task): void {
    this.trace = (Math.imul(this.trace, 31) + Math.floor(time * 1_000)) | 0;
    if (owner === null) return;
    for (const { actors } of this.world.slots.values()) {
      for (const actor of actors) if (actor.process === owner) this.world.checkGuard(actor);
    }
  }

  /** No more faults: everything comes to rest, everything is settled, and everybody agrees. */
  private async close(): Promise<void> {
    const { world } = this;
    world.isEnding = true;
    world.network.heal();
    await this.rest();
    for (const slot of world.slots.values()) await this.closeSession(slot);
  }

  private async rest(): Promise<void> {
    for (let left = MOST_CLOSING_STEPS; await this.step(); left--) {
      must(left > 0, "everything comes to rest", () => `${this.world.scheduler.size} things are still to come`);
    }
  }

  private async closeSession(slot: Slot): Promise<void> {
    const { world } = this;
    const { oracle } = slot;
    for (const actor of slot.actors) await this.checkLast(actor);
    const auditor = new Operator(world, slot, `auditor of ${slot.sessionId}`);
    await this.perform(auditor, async () => {
      const guard = await auditor.open({});
      await auditor.closeBooks(guard);
    });
    const left = Array.from(oracle.state.unsettled, ({ id, tool, status }) => `${id} ${tool.name} ${status}`);
    must(left.length === 0, "everything settles", () => `${slot.sessionId} ${left.join(", ")}`);
    world.referee.checkSettled(slot.sessionId);
    this.compared += oracle.history.checkOrder();
    // A guard that reads the log from its beginning, or from its snapshot.
    const fresh = new Actor(world, slot, "fresh");
    await this.perform(fresh, async () => void (await fresh.open({})));
    must(this.isUpToDate(fresh), "state equals replay", () => "a new guard did not read the whole log");
  }

  /** A guard that lived through all of it goes on, and ends up where the others are. */
  private async checkLast(actor: Actor): Promise<void> {
    const { guard } = actor;
    if (guard === null || actor.process.isDead) return;
    await this.perform(actor, async () => {
      const ended = await actor.operation("beginStep", null, () => guard.beginStep());
      const isOn = "value" in ended && !("reason" in ended.value && FAULTS.has(ended.value.reason));
      must(isOn, "the guard goes on by itself", () => actor.name);
    });
    must(this.isUpToDate(actor), "state equals replay", () => `${actor.name} is behind`);
    if (actor instanceof Worker) actor.checkUnheard();
  }

  private isUpToDate({ guard, slot, name }: Actor): boolean {
    return guard !== null && slot.oracle.check(guard, name);
  }

  private async perform(actor: Actor, work: () => Promise<void>): Promise<void> {
    const { world } = this;
    let isDone = false;
    world.scheduler.plan(0, actor.process, () => {
      work().then(
        () => {
          isDone = true;
        },
        (cause) => world.fail(cause),
      );
    });
    await this.rest();
    must(isDone, "everything comes to rest", () => `${actor.name} did not end`);
  }
}

/** Simulates so many steps from a seed, or one world of it. Ends with the first finding. */
export async function simulate(
  seed: number,
  steps: number,
  { only = null, say = null }: { readonly only?: number | null; readonly say?: ((text: string) => void) | null } = {},
): Promise<Report> {
  const coverage = new Coverage(EXPECTED);
  const total = { steps: 0, worlds: 0, records: 0, compared: 0, trace: 0 };
  let finding: Finding | null = null;
  for (let at = only ?? 0; finding === null && (only === null ? total.steps < steps : at === only); at++) {
    const run = new Run(seed, at, coverage);
    const { scheduler } = run.world;
    if (say !== null) scheduler.say = (what) => say(`${run.steps} ${scheduler.now.toFixed(1)} ms: ${what()}`);
    const restore = installVirtualTime(scheduler, () => coverage.hit("heard", "warning"));
    try {
      await run.play(only === null ? Math.min(WORLD_STEPS, steps - total.steps) : WORLD_STEPS);
    } catch (cause) {
      const isBroken = cause instanceof Broken;
      const detail = isBroken ? cause.message : cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      finding = { seed, world: at, step: run.steps, invariant: isBroken ? cause.invariant : "no surprise", detail };
    } finally {
      takeBroken();
      restore();
    }
    total.steps += run.steps;
    total.worlds += 1;
    total.compared += run.compared;
    total.trace = (Math.imul(total.trace, 31) + run.trace) | 0;
    for (const { oracle } of run.world.slots.values()) total.records += oracle.revision;
  }
  return { ...total, coverage, finding };
}
