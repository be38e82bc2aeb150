import { Worker } from "node:worker_threads";
import { unreachable } from "../../base/invariant.js";
import type { StreamChange } from "../../guard/durable-store.js";
import type { Migrated } from "../schema.js";
import { StoreError } from "../store-error.js";
import {
  type Answer,
  monotonicMs,
  type Question,
  type Reply,
  type Request,
  type Sent,
  type WorkerSetting,
} from "./messages.js";
import { WORKER_URL } from "./worker-url.js";

/** How long a thread may take to start, besides what it may wait for the file. */
const START_MS = 10_000;
/** A longer timer would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: StoreError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Opening {
  readonly resolve: (migrated: Migrated) => void;
  readonly reject: (cause: StoreError) => void;
}

/** The thread of a store, as the thread of its guards sees it. */
export class WorkerLink {
  private readonly worker: Worker;
  private readonly pending = new Map<number, Pending>();
  private queue: Request[] = [];
  private lastId = 0;
  private ended: StoreError | null = null;

  constructor(
    private readonly setting: WorkerSetting,
    private readonly onChange: (change: StreamChange) => void,
  ) {
    // Flags of this process are not for the thread: some forbid that it is started from a file.
    this.worker = new Worker(WORKER_URL, { workerData: setting, execArgv: ["--no-warnings"] });
  }

  /** Waits until the thread has opened its file; one that does not is ended. */
  async open(): Promise<Migrated> {
    try {
      const migrated = await this.firstWord();
      this.worker.unref();
      return migrated;
    } catch (cause) {
      await this.worker.terminate();
      throw cause;
    }
  }

  /** Whether the thread is gone; a new one can be started. */
  get isEnded(): boolean {
    return this.ended !== null;
  }

  ask(question: Question): Promise<Answer> {
    if (this.ended !== null) return Promise.reject(this.ended);
    const { timeoutMs } = this.setting;
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.take(id)?.reject(this.failure("store_timeout", "did not answer in time"));
      }, timeoutMs);
      this.pending.set(id, { resolve, reject, timer });
      this.worker.ref();
      // All that is asked in one round of the event loop goes over as one, and into one transaction.
      if (this.queue.length === 0) setImmediate(() => this.flush());
      this.queue.push({ id, expires: monotonicMs() + timeoutMs, question });
    });
  }

  /** Ends the thread once it has done what it was asked before, or its time is over. */
  async close(): Promise<void> {
    if (this.ended !== null) return;
    await this.ask({ kind: "close" }).catch(() => {
      // Whatever was under way was refused too, and its callers know.
    });
    await this.worker.terminate();
  }

  private firstWord(): Promise<Migrated> {
    return new Promise((resolve, reject) => {
      const late = () => reject(this.failure("store_timeout", "could not be opened in time"));
      const timer = setTimeout(late, Math.min(START_MS + this.setting.timeoutMs, LONGEST_TIMER_MS));
      const opening: Opening = {
        resolve(migrated) {
          clearTimeout(timer);
          resolve(migrated);
        },
        reject(cause) {
          clearTimeout(timer);
          reject(cause);
        },
      };
      this.worker.on("message", (sent: Sent) => this.receive(sent, opening));
      // What follows an error is the end; without a listener it would end the process.
      this.worker.on("error", () => {});
      this.worker.on("exit", () => {
        this.end();
        opening.reject(this.failure("store_failed", "could not be opened: its thread ended"));
      });
    });
  }

  private flush(): void {
    const { queue } = this;
    this.queue = [];
    this.worker.postMessage(queue);
  }

  private receive(sent: Sent, opening: Opening): void {
    switch (sent.kind) {
      case "replies":
        for (const reply of sent.replies) this.settle(reply);
        return;
      case "changed":
        for (const change of sent.changes) this.onChange(change);
        return;
      case "opened":
        opening.resolve(sent.migrated);
        return;
      case "refused":
        opening.reject(new StoreError(sent.code, sent.message));
        return;
      default:
        unreachable(sent);
    }
  }

  private settle({ id, answer }: Reply): void {
    const pending = this.take(id);
    if (answer.kind === "failed") pending?.reject(new StoreError(answer.code, answer.message));
    else pending?.resolve(answer);
  }

  private take(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    clearTimeout(pending?.timer);
    this.pending.delete(id);
    if (this.pending.size === 0) this.worker.unref();
    return pending;
  }

  private end(): void {
    this.ended ??= this.failure("store_failed", "lost its thread");
    for (const id of [...this.pending.keys()]) this.take(id)?.reject(this.ended);
  }

  private failure(code: "store_timeout" | "store_failed", what: string): StoreError {
    return new StoreError(code, `the store ${this.setting.shown} ${what}`);
  }
}
