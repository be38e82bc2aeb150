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
import { leastSnapshot } from "../prefers-snapshot.js";
import { isRecorded } from "../repeated-append.js";
import type { Migrated } from "../schema.js";
import { storeClosed } from "../store-error.js";
import { lastWithPrefix } from "../text-order.js";
import { Announcer } from "./announcer.js";
import { appendQuery, NOT_WHOLE } from "./append-statement.js";
import { applySchema } from "./apply-schema.js";
import { PostgresDatabase, type PostgresSetting } from "./database.js";
import { codeOf, wasTakenBack } from "./postgres-failure.js";
import { PostgresWatch } from "./postgres-watch.js";
import { LIST, LOAD, READ } from "./statements.js";
import { listedOf, loadedFrom, pageFrom } from "./stored-rows.js";

interface Tried {
  readonly isWritten: boolean;
  readonly now: number | null;
}

/** Keeps streams on a server, for any number of machines. */
export class PostgresStore implements DurableStore {
  readonly kind = "postgres";
  private readonly announcer: Announcer;
  private readonly watching: PostgresWatch;
  private closing: Promise<void> | null = null;

  private constructor(private readonly database: PostgresDatabase) {
    this.announcer = new Announcer(database);
    this.watching = new PostgresWatch(database);
  }

  static async open(setting: PostgresSetting): Promise<PostgresStore> {
    const database = await PostgresDatabase.of(setting);
    try {
      await applySchema(database);
      return new PostgresStore(database);
    } catch (cause) {
      await database.close();
      throw cause;
    }
  }

  async load(stream: string, { after }: { readonly after?: number } = {}): Promise<LoadedStream> {
    this.demandOpen();
    checkStream(stream);
    if (after !== undefined) checkRevision("the revision to load after", after);
    const rows = await this.database.query(LOAD, [Buffer.from(stream), leastSnapshot(after), after ?? 0]);
    return loadedFrom(rows, { stream, after: after ?? 0 });
  }

  async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    this.demandOpen();
    checkAppend(appendId, writes);
    const { isWritten, now } = await this.tryAppend(appendId, writes);
    if (!isWritten && !(await this.isRepeat(appendId, writes))) return { kind: "conflict", now };
    for (const { stream, expectedRevision, records } of writes) {
      this.watching.notify(stream, expectedRevision + records.length);
      this.announcer.announce(stream, expectedRevision + records.length);
    }
    return { kind: "appended", now };
  }

  async read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    this.demandOpen();
    checkStream(stream);
    checkRevision("the revision to read after", after);
    checkLimit(limit);
    return this.records(stream, after, limit);
  }

  async list(options: ListOptions = {}): Promise<readonly ListedStream[]> {
    this.demandOpen();
    const { prefix, after, limit } = checkedListOptions(options);
    const bounds = [prefix, lastWithPrefix(prefix), after].map((text) => Buffer.from(text));
    const rows = await this.database.query(LIST, [...bounds, limit]);
    return rows.map(listedOf);
  }

  async watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    this.demandOpen();
    checkStream(stream);
    return this.watching.add(stream, listener);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await this.watching.close();
    await this.announcer.finish();
    await this.database.close();
  }

  private demandOpen(): void {
    if (this.closing !== null) throw storeClosed();
  }

  private async tryAppend(appendId: string, writes: readonly StreamWrite[]): Promise<Tried> {
    const { statement, values } = appendQuery(appendId, writes);
    try {
      const [row] = await this.database.attempt(statement, values);
      return { isWritten: Number(row?.streams) > 0, now: row === undefined ? null : Number(row.now) };
    } catch (cause) {
      if (wasTakenBack(cause) || codeOf(cause) === NOT_WHOLE) return { isWritten: false, now: null };
      throw this.database.failure(cause);
    }
  }

  /** Asked in a statement of its own: the one that did not fit cannot see what came in while it waited. */
  private async isRepeat(appendId: string, writes: readonly StreamWrite[]): Promise<boolean> {
    for (const write of writes) {
      const { stream, expectedRevision, records } = write;
      if (!isRecorded(appendId, write, await this.records(stream, expectedRevision, records.length))) return false;
    }
    return true;
  }

  private async records(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    const rows = await this.database.query(READ, [Buffer.from(stream), after, limit]);
    return pageFrom(rows, { stream, after, limit });
  }
}

/** Connects only to bring the schema up to date. */
export async function migratePostgres(setting: PostgresSetting): Promise<Migrated> {
  const database = await PostgresDatabase.of({ ...setting, mode: "migrate" });
  try {
    return await applySchema(database);
  } finally {
    await database.close();
  }
}
