import type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../../src/guard/durable-store.js";
import { MemoryStore } from "../../src/stores/memory-store.js";
import type { Coverage } from "./coverage.js";
import type { Faults } from "./plan.js";
import type { Process, Scheduler } from "./scheduler.js";
import { EPOCH } from "./virtual-globals.js";

/** Told of every append that was recorded, at that moment, and whether its answer will arrive. */
export type OnRecorded = (stream: StreamWrite, appendId: string) => void;

/** What happens to one message between a process and the store. */
type Fate = "delivered" | "silence" | "error";

function broken(): Error {
  return Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
}

/** The network between processes and the real store in memory, which alone decides what is recorded. */
export class Network {
  readonly store: MemoryStore;
  /** Until when the store cannot be reached, or can only be read. */
  private cutUntil = 0;
  private readOnlyUntil = 0;
  /** Until when it says conflict whatever happens, as servers do that cannot serialize. */
  private conflictUntil = 0;
  onRecorded: OnRecorded = () => undefined;

  constructor(
    readonly scheduler: Scheduler,
    readonly faults: Faults,
    readonly coverage: Coverage,
  ) {
    this.store = new MemoryStore(() => EPOCH + scheduler.now);
  }

  /** The store as a process sees it. */
  storeOf(process: Process): DurableStore {
    return new RemoteStore(this, process);
  }

  cut(ms: number): void {
    this.coverage.hit("fault", "the store is cut off");
    this.cutUntil = this.scheduler.now + ms;
  }

  makeReadOnly(ms: number): void {
    this.coverage.hit("fault", "the store is read-only");
    this.readOnlyUntil = this.scheduler.now + ms;
  }

  makeConflicted(ms: number): void {
    this.coverage.hit("fault", "the store reports conflicts that are none");
    this.conflictUntil = this.scheduler.now + ms;
  }

  /** Whether an append is refused for no reason. */
  isConflicted(process: Process): boolean {
    const isSo = this.scheduler.now < this.conflictUntil;
    if (isSo) this.faults.noteGrave(process, this.scheduler.now);
    return isSo;
  }

  /** Calms down: from now on everything arrives. */
  heal(): void {
    this.cutUntil = 0;
    this.readOnlyUntil = 0;
    this.conflictUntil = 0;
    this.faults.stop();
  }

  /** The clock of the store; null where it has none. */
  get now(): number | null {
    return this.faults.hasStoreClock ? EPOCH + Math.floor(this.scheduler.now) : null;
  }

  /** One call of the store: a request that arrives, an effect, an answer that is delivered. */
  call<T>(process: Process, kind: "append" | "load" | "other", effect: () => Promise<T>): Promise<T> {
    const { scheduler } = this;
    scheduler.say?.(() => `${process.name} asks to ${kind}`);
    return new Promise((resolve, reject) => {
      const deliver = (run: () => void) => scheduler.plan(this.delay(), process, run);
      const arrive = () => {
        scheduler.say?.(() => `the ${kind} of ${process.name} arrives`);
        if (scheduler.now < this.cutUntil) {
          this.faults.noteGrave(process, scheduler.now);
          if (scheduler.random.below(2) === 0) deliver(() => reject(broken()));
          return;
        }
        if (kind === "append" && scheduler.now < this.readOnlyUntil) {
          this.faults.noteGrave(process, scheduler.now);
          deliver(() => reject(Object.assign(new Error("read-only"), { code: "EROFS" })));
          return;
        }
        effect().then(
          (answer) => this.answer(kind, process, () => resolve(answer), reject),
          (cause) => deliver(() => reject(cause)),
        );
      };
      this.request(kind, process, arrive, reject);
    });
  }

  /** Word of an append on its way to whoever watches; it may be lost. */
  announce(process: Process, run: () => void): void {
    if (this.faults.happens("lostNews")) {
      this.coverage.hit("fault", "word of an append is lost");
      return;
    }
    this.scheduler.plan(this.delay(), process, run);
  }

  private request(kind: string, process: Process, arrive: () => void, reject: (cause: Error) => void): void {
    const { scheduler, faults, coverage } = this;
    const fate = this.fate("lostRequest");
    scheduler.say?.(() => `the ${kind} of ${process.name}: ${fate}`);
    if (fate !== "delivered") {
      coverage.hit("fault", `a request is lost (${fate})`);
      this.note(process, kind, fate);
      if (fate === "error") scheduler.plan(this.delay(), process, () => reject(broken()));
      return;
    }
    if (faults.happens("lateRequest")) {
      coverage.hit("fault", `a late ${kind === "append" ? "append" : "request"}`);
      faults.noteGrave(process, scheduler.now);
      scheduler.plan(200 + scheduler.random.below(4_000), null, arrive);
      return;
    }
    scheduler.plan(this.delay(), null, arrive);
    if (!faults.happens("repeatedRequest")) return;
    coverage.hit("fault", `a repeated ${kind === "append" ? "append" : "request"}`);
    scheduler.plan(this.delay() + scheduler.random.below(400), null, arrive);
  }

  private answer(kind: string, process: Process, resolve: () => void, reject: (cause: Error) => void): void {
    const { scheduler, faults, coverage } = this;
    const fate = this.fate("lostAnswer");
    scheduler.say?.(() => `the answer to the ${kind} of ${process.name}: ${fate}`);
    if (fate === "delivered") {
      const isLate = faults.happens("lateAnswer");
      if (isLate) {
        coverage.hit("fault", "a late answer");
        faults.noteGrave(process, scheduler.now);
      }
      scheduler.plan(isLate ? 200 + scheduler.random.below(4_000) : this.delay(), process, resolve);
      if (faults.happens("repeatedAnswer")) {
        coverage.hit("fault", "a repeated answer");
        scheduler.plan(this.delay(), process, resolve);
      }
      return;
    }
    coverage.hit("fault", `${kind === "append" ? "the answer of an append" : "an answer"} is lost (${fate})`);
    this.note(process, kind, fate);
    if (fate === "error") scheduler.plan(this.delay(), process, () => reject(broken()));
  }

  /** Only appends are sent again after a quick error. */
  private note(process: Process, kind: string, fate: Fate): void {
    if (fate === "error" && kind === "append") this.faults.noteSlight(process);
    else this.faults.noteGrave(process, this.scheduler.now);
  }

  private fate(fault: "lostRequest" | "lostAnswer"): Fate {
    if (!this.faults.happens(fault)) return "delivered";
    return this.scheduler.random.below(2) === 0 ? "silence" : "error";
  }

  /** Mostly a few milliseconds, now and then many. */
  private delay(): number {
    const { random } = this.scheduler;
    return random.below(12) === 0 ? random.next() * 60 : 0.2 + random.next() * 4;
  }
}

class RemoteStore implements DurableStore {
  readonly kind = "simulated";

  constructor(
    private readonly network: Network,
    private readonly process: Process,
  ) {}

  load(stream: string, options?: { readonly after?: number }): Promise<LoadedStream> {
    const { network } = this;
    return network.call(this.process, "load", async () => ({
      ...(await network.store.load(stream, options)),
      now: network.now,
    }));
  }

  append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    const { network } = this;
    return network.call(this.process, "append", async () => {
      if (network.isConflicted(this.process)) return { kind: "conflict", now: network.now };
      const { kind } = await network.store.append(appendId, writes);
      if (kind === "appended") for (const write of writes) network.onRecorded(write, appendId);
      return { kind, now: network.now };
    });
  }

  read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    return this.network.call(this.process, "other", () => this.network.store.read(stream, after, limit));
  }

  list(options?: ListOptions): Promise<readonly ListedStream[]> {
    return this.network.call(this.process, "other", () => this.network.store.list(options));
  }

  watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    const { network, process } = this;
    const told = (change: StreamChange) => network.announce(process, () => listener(change));
    return network.call(process, "other", () => network.store.watch(stream, told));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
