import { invariant } from "../../base/invariant.js";
import type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../../guard/durable-store.js";
import { checkAppend, checkedListOptions, checkLimit, checkRevision, checkStream } from "../check-input.js";
import type { Migrated } from "../schema.js";
import { storeClosed } from "../store-error.js";
import { Watchers } from "../watchers.js";
import type { Answer, Question, WorkerSetting } from "./messages.js";
import { WorkerLink } from "./worker-link.js";

type AnswerTo<Kind extends Answer["kind"]> = Extract<Answer, { readonly kind: Kind }>;

function isAnswerTo<Kind extends Answer["kind"]>(kind: Kind, answer: Answer): answer is AnswerTo<Kind> {
  return answer.kind === kind;
}

/** Keeps streams in a file. The work is done in a thread; several processes may share the file. */
export class SqliteStore implements DurableStore {
  readonly kind = "sqlite";
  private readonly watchers = new Watchers();
  /** The streams of watches that the thread was asked for and has not answered yet, each as often as it was asked for. */
  private starting: readonly string[] = [];
  private link: Promise<WorkerLink>;
  private isClosed = false;
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly setting: WorkerSetting,
    private readonly clock: () => number,
  ) {
    this.link = this.start(setting);
  }

  static async open(setting: WorkerSetting, clock: () => number): Promise<SqliteStore> {
    const store = new SqliteStore(setting, clock);
    await store.link;
    return store;
  }

  async load(stream: string, { after }: { readonly after?: number } = {}): Promise<LoadedStream> {
    checkStream(stream);
    if (after !== undefined) checkRevision("the revision to load after", after);
    return (await this.ask("load", { kind: "load", stream, after })).loaded;
  }

  async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    checkAppend(appendId, writes);
    const { result } = await this.ask("append", { kind: "append", appendId, writes, time: this.clock() });
    if (result.kind === "conflict") return result;
    for (const { stream, expectedRevision, records } of writes) {
      this.watchers.notify(stream, expectedRevision + records.length);
    }
    return result;
  }

  async read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    checkStream(stream);
    checkRevision("the revision to read after", after);
    checkLimit(limit);
    return (await this.ask("read", { kind: "read", stream, after, limit })).records;
  }

  async list(options: ListOptions = {}): Promise<readonly ListedStream[]> {
    return (await this.ask("list", { kind: "list", options: checkedListOptions(options) })).streams;
  }

  async watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    checkStream(stream);
    this.starting = [...this.starting, stream];
    try {
      const { revision } = await this.ask("watch", { kind: "watch", stream });
      const stop = this.watchers.add(stream, revision, listener);
      return () => {
        stop();
        this.unwatch(stream);
      };
    } finally {
      this.starting = this.starting.toSpliced(this.starting.indexOf(stream), 1);
    }
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.closing ??= this.end();
    return this.closing;
  }

  /** Ends the watch of the thread, unless another one goes on, or is about to begin: the thread has one for all of them. */
  private unwatch(stream: string): void {
    if (this.watchers.streams.includes(stream) || this.starting.includes(stream) || this.isClosed) return;
    // Nobody waits for it: a thread that is gone watches nothing.
    this.ask("unwatch", { kind: "unwatch", stream }).catch(() => {});
  }

  private async end(): Promise<void> {
    this.watchers.clear();
    const link = await this.link.catch(() => null);
    await link?.close();
  }

  private start(setting: WorkerSetting): Promise<WorkerLink> {
    const link = new WorkerLink(setting, ({ stream, revision }) => this.watchers.notify(stream, revision));
    const opened = link.open().then(() => link);
    // The next request gets the error; until then nobody waits for it.
    opened.catch(() => {});
    return opened;
  }

  private async ask<Kind extends Answer["kind"]>(kind: Kind, question: Question): Promise<AnswerTo<Kind>> {
    if (this.isClosed) throw storeClosed();
    const answer = await (await this.living()).ask(question);
    invariant(isAnswerTo(kind, answer), "the thread answers what it was asked");
    return answer;
  }

  /** A thread that ended, whatever the reason, is replaced: what it had under way was refused. */
  private async living(): Promise<WorkerLink> {
    const tried = this.link;
    const link = await tried.catch(() => null);
    if (link !== null && !link.isEnded) return link;
    if (this.link === tried) this.link = this.restart();
    return this.link;
  }

  private async restart(): Promise<WorkerLink> {
    const link = await this.start({ ...this.setting, creates: false, mode: "open" });
    for (const stream of this.watchers.streams) {
      const answer = await link.ask({ kind: "watch", stream });
      if (answer.kind === "watch") this.watchers.notify(stream, answer.revision);
    }
    return link;
  }
}

/** Opens a file only to bring its schema up to date. */
export async function migrateSqlite(setting: WorkerSetting): Promise<Migrated> {
  const link = new WorkerLink({ ...setting, mode: "migrate" }, () => {});
  const migrated = await link.open();
  await link.close();
  return migrated;
}
