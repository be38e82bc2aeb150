import { isDeepStrictEqual } from "node:util";
import { plainState } from "../../workflow-reference/plain-state.js";
import { Coverage } from "../coverage.js";
import type { Finding } from "../simulation.js";
import { Broken, must, takeBroken } from "../violation.js";
import { installVirtualTime } from "../virtual-globals.js";
import { EXPECTED } from "./expected.js";
import { Operator } from "./operator.js";
import { World } from "./world.js";

/** How many steps one world lasts before it is brought to an end. */
const WORLD_STEPS = 4_000;
/** Nothing takes longer to come to rest. */
const MOST_CLOSING_STEPS = 20_000;

export interface Report {
  readonly steps: number;
  readonly worlds: number;
  /** Of everything that happened: two runs of a seed have the same. */
  readonly trace: number;
  readonly coverage: Coverage;
  readonly finding: Finding | null;
}

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
  trace = 0;
  readonly world: World;

  constructor(seed: number, world: number, coverage: Coverage) {
    this.world = new World(seed, world, coverage);
  }

  async play(most: number): Promise<void> {
    this.world.open();
    while (this.steps < most && (await this.step())) this.world.strike();
    await this.close();
  }

  private async step(): Promise<boolean> {
    const { world } = this;
    const task = world.scheduler.next();
    if (task === undefined) return false;
    this.steps += 1;
    this.trace = (Math.imul(this.trace, 31) + Math.floor(task.time * 1_000)) | 0;
    task.run();
    await drained();
    world.check();
    const broken = takeBroken();
    if (broken !== null) throw broken;
    if (world.failure !== null) throw world.failure.cause;
    return true;
  }

  private async rest(): Promise<void> {
    for (let left = MOST_CLOSING_STEPS; await this.step(); left -= 1) {
      must(left > 0, "everything comes to rest", () => `${this.world.scheduler.size} things are still to come`);
    }
  }

  /** No more faults: every call is settled and every session closed, and then nobody holds anything. */
  private async close(): Promise<void> {
    const { world } = this;
    world.isEnding = true;
    world.network.heal();
    await this.rest();
    const auditor = new Operator(world, "auditor");
    let last: unknown = null;
    world.scheduler.plan(0, auditor.process, () => {
      auditor
        .open()
        .then(() => auditor.closeBooks())
        .then(() => auditor.workflow.state())
        .then(
          (state) => {
            last = plainState(state);
          },
          (cause) => world.fail(cause),
        );
    });
    await this.rest();
    must(last !== null, "everything comes to rest", () => "the auditor did not end");
    const known = plainState(world.view.state());
    must(known.resources.length === 0, "no hold is lost for ever", () => known.resources.join(", "));
    must(known.totals.active === 0, "every session ends", () => JSON.stringify(known.statuses));
    must(isDeepStrictEqual(last, known), "the state is that of the records", () => `${JSON.stringify([last, known])}`);
  }
}

/** Simulates so many steps from a seed, or one world of it. Ends with the first finding. */
export async function simulateWorkflows(
  seed: number,
  steps: number,
  { only = null, say = null }: { readonly only?: number | null; readonly say?: ((text: string) => void) | null } = {},
): Promise<Report> {
  const coverage = new Coverage(EXPECTED);
  const total = { steps: 0, worlds: 0, trace: 0 };
  let finding: Finding | null = null;
  for (let at = only ?? 0; finding === null && (only === null ? total.steps < steps : at === only); at += 1) {
    const run = new Run(seed, at, coverage);
    const { scheduler } = run.world;
    if (say !== null) scheduler.say = (what) => say(`${run.steps} ${scheduler.now.toFixed(1)} ms: ${what()}`);
    const restore = installVirtualTime(scheduler, () => coverage.hit("heard", "warning"));
    try {
      await run.play(only === null ? Math.min(WORLD_STEPS, steps - total.steps) : WORLD_STEPS);
    } catch (cause) {
      const isBroken = cause instanceof Broken;
      const detail =
        cause instanceof Error ? (isBroken ? cause.message : (cause.stack ?? cause.message)) : String(cause);
      finding = { seed, world: at, step: run.steps, invariant: isBroken ? cause.invariant : "no surprise", detail };
    } finally {
      takeBroken();
      restore();
    }
    total.steps += run.steps;
    total.worlds += 1;
    total.trace = (Math.imul(total.trace, 31) + run.trace) | 0;
  }
  return { ...total, coverage, finding };
}
