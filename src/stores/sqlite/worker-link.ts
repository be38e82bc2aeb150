import { Worker } from "node:worker_threads";
import { unreachable } from "../../base/invariant.js";
import type { StreamChange } from "../../guard/durable-store.js";
import type { Migrated } from "../schema.js";
import { StoreError, type StoreErrorCode } from "../store-error.js";
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

/** How long a thread may take to start, beside what it may wait for the file. */
const START_MS = 10_000;

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: StoreError) => void;
  readonly timer: NodeJS.Timeout;
}

/** The thread of a store, as the thread of its guards sees it. */
export class WorkerLink {
  private readonly pending = new Map<number, Pending>();
  private queue: Request[] = [];
  private lastId = 0;
  private ended: StoreError | null = null;

  private constructor(
    private readonly worker: Worker,
    readonly migrated: Migrated,
    private readonly setting: WorkerSetting,
  ) {
    worker.unref();
  }

  /** Starts a thread and waits until it has opened its file. */
  static async start(setting: WorkerSetting, onChange: (change: StreamChange) => void): Promise<WorkerLink> {
    // Flags of this process are not for the thread: some forbid that it is started from a file.
    const worker = new Worker(WORKER_URL, { workerData: setting, execArgv: ["--no-warnings"] });
    const migrated = await opened(worker, setting);
    const link = new WorkerLink(worker, migrated, setting);
    worker.on("message", (sent: Sent) => link.receive(sent, onChange));
    worker.on("exit", () => link.end());
    return link;
  }

  /** Whether the thread is gone; a new one can be started. */
  get isEnded(): boolean {
    return this.ended !== null;
  }

  ask(question: Question): Promise<Answer> {
    if (this.ended !== null) return Promise.reject(this.ended);
    const { timeoutMs, shown } = this.setting;
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.take(id)?.reject(new StoreError("store_timeout", `the store ${shown} did not answer in time`));
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

  private flush(): void {
    const { queue } = this;
    this.queue = [];
    this.worker.postMessage(queue);
  }

  private receive(sent: Sent, onChange: (change: StreamChange) => void): void {
    switch (sent.kind) {
      case "replies":
        for (const reply of sent.replies) this.settle(reply);
        return;
      case "changed":
        for (const change of sent.changes) onChange(change);
        return;
      case "opened":
      case "refused":
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
    this.ended ??= new StoreError("store_failed", `the thread of the store ${this.setting.shown} ended`);
    for (const id of [...this.pending.keys()]) this.take(id)?.reject(this.ended);
  }
}

/** Waits for the first word of a thread, and ends one that does not open its file. */
async function opened(worker: Worker, setting: WorkerSetting): Promise<Migrated> {
  const sent = await firstWord(worker, setting);
  if (sent.kind === "opened") return sent.migrated;
  await worker.terminate();
  throw new StoreError(sent.code, sent.message);
}

type FirstWord = Extract<Sent, { readonly kind: "opened" | "refused" }>;

function firstWord(worker: Worker, { shown, timeoutMs }: WorkerSetting): Promise<FirstWord> {
  const refused = (code: StoreErrorCode, what: string): FirstWord => ({ kind: "refused", code, message: what });
  return new Promise((resolve) => {
    const settle = (word: FirstWord) => {
      clearTimeout(timer);
      // One by one: without its own listeners a worker receives nothing any more.
      worker.off("message", onMessage).off("exit", onEnd);
      resolve(word);
    };
    const onMessage = (sent: Sent) => {
      if (sent.kind === "opened" || sent.kind === "refused") settle(sent);
    };
    const onEnd = () => settle(refused("store_failed", `the thread of the store ${shown} ended`));
    const onTime = () => settle(refused("store_timeout", `the store ${shown} could not be opened in time`));
    const timer = setTimeout(onTime, START_MS + timeoutMs);
    worker.on("message", onMessage).on("exit", onEnd);
    // Stays: an error without a listener would end the process. What follows it is the exit.
    worker.on("error", onEnd);
  });
}
