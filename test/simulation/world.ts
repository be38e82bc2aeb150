import type { Artifact } from "../../src/artifact/compiled.js";
import { sessionOf, sessionStream } from "../../src/guard/durable/streams.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import type { Program } from "../../src/guard/program/program.js";
import { packOf } from "../../src/guard/resolved-options.js";
import { randomFrom } from "../support/random.js";
import type { Actor } from "./actor.js";
import type { Books } from "./books.js";
import type { Coverage } from "./coverage.js";
import { Network } from "./network.js";
import { Operator } from "./operator.js";
import { BOUNDS, READS, simulatedArtifact } from "./pack.js";
import { Faults, type Plan, planOf } from "./plan.js";
import { Referee } from "./referee.js";
import { type Intent, Registry } from "./registry.js";
import { Scheduler } from "./scheduler.js";
import { SessionOracle } from "./session-oracle.js";
import { ToolServer } from "./tool-server.js";
import { must } from "./violation.js";
import { Worker } from "./worker.js";

/** One session, with whoever works on it. */
export interface Slot {
  readonly sessionId: string;
  readonly oracle: SessionOracle;
  readonly actors: Set<Actor>;
  readonly keys: { readonly key: string; readonly intent: Intent }[];
  /** When each call was reserved. */
  readonly since: Map<string, number>;
  isRetired: boolean;
}

/** Everything that is simulated together, from one seed. */
export class World {
  readonly artifact: Artifact = simulatedArtifact();
  readonly scheduler: Scheduler;
  readonly plan: Plan;
  readonly faults: Faults;
  readonly network: Network;
  readonly tools: ToolServer;
  readonly referee: Referee;
  readonly registry = new Registry();
  readonly slots = new Map<string, Slot>();
  isEnding = false;
  /** What an actor ran into. */
  failure: { readonly cause: unknown } | null = null;
  private readonly program: Program;
  private serial = 0;

  constructor(
    seed: number,
    run: number,
    readonly coverage: Coverage,
  ) {
    const random = randomFrom(seed, run);
    this.scheduler = new Scheduler(random);
    this.plan = planOf(random, run);
    this.faults = new Faults(random);
    this.network = new Network(this.scheduler, this.faults, coverage);
    this.tools = new ToolServer(this.scheduler, this.faults, coverage);
    this.referee = new Referee(this.tools, (session) => this.booksOf(session), this.plan.mode === "enforce");
    this.program = prepareProgram(this.artifact, packOf(this.artifact, undefined), { env: {}, principal: null });
    this.network.onRecorded = (write) => {
      const slot = this.slots.get(sessionOf(write.stream));
      if (slot !== undefined && write.stream === sessionStream(slot.sessionId)) slot.oracle.recorded(write);
    };
    this.tools.onEffect = ({ session, ref }) => this.referee.check(session, ref);
    coverage.hit("mode", this.plan.mode);
  }

  /** Puts everybody to work. */
  open(): void {
    for (let at = 0; at < this.plan.sessions; at++) this.newSession();
  }

  fail(cause: unknown): void {
    this.failure ??= { cause };
  }

  /** What really became of a call; from now on nothing can become of it any more. */
  truthOf({ oracle, sessionId }: Slot, callId: string): "happened" | "did_not_happen" {
    const call = oracle.books.calls.get(callId);
    if (call === undefined || call.isUnanswered) return "did_not_happen";
    if (!READS.has(call.tool)) this.tools.fence(sessionId, call.ref);
    return this.tools.hasDone(sessionId, call.ref) ? "happened" : "did_not_happen";
  }

  /** The faults that come from nowhere, once a step. */
  strike(): void {
    const { faults, scheduler, coverage } = this;
    const { random } = scheduler;
    if (faults.happens("cut")) this.network.cut(random.below(3_000));
    if (faults.happens("readOnly")) this.network.makeReadOnly(random.below(2_000));
    if (faults.happens("conflicts")) this.network.makeConflicted(random.below(1_500));
    if (faults.happens("crash")) this.crash();
    const isFrozen = faults.happens("freeze");
    const isJump = faults.happens("clockJump");
    if (!isFrozen && !isJump) return;
    const process = this.anybody()?.process;
    if (process === undefined) return;
    if (isFrozen) {
      coverage.hit("fault", "a process is frozen");
      process.frozenUntil = scheduler.now + random.below(5_000);
      faults.noteGrave(process, process.frozenUntil);
    }
    if (isJump) {
      const jump = (random.below(2) === 0 ? 1 : -1) * random.below(90_000);
      coverage.hit("fault", jump < 0 ? "a clock jumps back" : "a clock jumps ahead");
      process.skew += jump;
    }
  }

  /** Sessions that are over are replaced. */
  renew(): void {
    for (const slot of this.slots.values()) {
      const { isKilled, toolCalls } = slot.oracle.state;
      const isOver = isKilled || toolCalls >= BOUNDS.toolCalls;
      if (slot.isRetired || !isOver || this.scheduler.random.below(40) > 0) continue;
      slot.isRetired = true;
      // Those that work on it go on for a while: late results come from somewhere.
      this.scheduler.plan(1_500, null, () => {
        for (const { process } of slot.actors) process.isDead = true;
      });
      this.newSession();
    }
  }

  /** What every guard that is up to date holds is the state of the log. */
  checkGuard(actor: Actor): void {
    if (actor.guard !== null && !actor.process.isDead) actor.slot.oracle.check(actor.guard, actor.name);
  }

  private booksOf(session: string): Books {
    const slot = this.slots.get(session);
    must(slot !== undefined, "sessions do not mix", () => session);
    return (slot as Slot).oracle.books;
  }

  private newSession(): void {
    const { plan, registry, coverage, program } = this;
    this.serial += 1;
    const sessionId = `session-${this.serial}`;
    const since = new Map<string, number>();
    const oracle = new SessionOracle({
      ...{ program, sessionId, plan, registry, coverage },
      onChanged: ({ callId, ref }) => {
        if (!since.has(callId)) since.set(callId, this.scheduler.now);
        this.referee.check(sessionId, ref);
      },
    });
    const slot: Slot = { sessionId, oracle, since, actors: new Set(), keys: [], isRetired: false };
    this.slots.set(sessionId, slot);
    for (let at = 0; at < plan.workers; at++) this.hire(slot, Worker, "worker");
    for (let at = 0; at < plan.operators; at++) this.hire(slot, Operator, "operator");
  }

  private hire(slot: Slot, Kind: typeof Worker | typeof Operator, kind: string): void {
    this.serial += 1;
    const actor = new Kind(this, slot, `${kind}-${this.serial}`);
    slot.actors.add(actor);
    const start = () => void actor.start().catch((cause) => this.fail(cause));
    this.scheduler.plan(this.scheduler.random.next() * 20, actor.process, start);
  }

  /** Somebody who is there; null if all of them just crashed. */
  private anybody(): Actor | null {
    const all = [...this.slots.values()].filter(({ isRetired }) => !isRetired).flatMap(({ actors }) => [...actors]);
    return all.length === 0 ? null : this.scheduler.random.pick(all);
  }

  private crash(): void {
    const { scheduler, coverage } = this;
    const actor = this.anybody();
    if (actor === null) return;
    const { slot, process } = actor;
    coverage.hit("fault", "a process crashes");
    process.isDead = true;
    slot.actors.delete(actor);
    const isWorker = actor instanceof Worker;
    this.scheduler.plan(scheduler.random.below(3_000), null, () => {
      if (this.isEnding || slot.isRetired) return;
      coverage.hit("fault", "a process is restarted");
      this.hire(slot, isWorker ? Worker : Operator, isWorker ? "worker" : "operator");
    });
  }
}
