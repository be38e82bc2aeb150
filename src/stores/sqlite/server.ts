import { unreachable } from "../../base/invariant.js";
import type { StreamChange } from "../../guard/durable-store.js";
import { StoreError, type StoreErrorCode } from "../store-error.js";
import type { SqliteDriver } from "./driver.js";
import { appendAll, endTransaction } from "./group-commit.js";
import {
  type Answer,
  type AppendQuestion,
  monotonicMs,
  type Question,
  type Reply,
  type Request,
  type WorkerSetting,
} from "./messages.js";
import { OpenFile } from "./open-file.js";
import { sqliteFailure } from "./sqlite-failure.js";

/** The most appends of one transaction: beyond that it would only keep other processes waiting. */
const MOST_TOGETHER = 256;

/** After these the file is opened again: what is wrong may be the connection, or may be fixed since. */
const REOPENING: readonly StoreErrorCode[] = ["store_unreachable", "store_read_only", "store_failed"];

type OtherQuestion = Exclude<Question, AppendQuestion>;

/** Serves one database file, in a thread of its own, where waiting for a disk blocks nothing else. */
export class SqliteServer {
  private file: OpenFile | null;
  /** The streams that are watched, with the last known revision of each. */
  private readonly watched = new Map<string, number>();
  private seenVersion: unknown;

  constructor(
    private readonly driver: SqliteDriver,
    private readonly setting: WorkerSetting,
  ) {
    this.file = OpenFile.open(driver, setting);
  }

  get migrated() {
    return this.file?.migrated ?? null;
  }

  get isWatched(): boolean {
    return this.watched.size > 0;
  }

  /** Does everything that waits, appends first: they wait for the disk together. */
  serve(requests: readonly Request[]): readonly Reply[] {
    const replies: Reply[] = [];
    const appends: { id: number; question: AppendQuestion }[] = [];
    const others: { id: number; question: OtherQuestion }[] = [];
    const now = monotonicMs();
    for (const { id, expires, question } of requests) {
      if (expires < now && question.kind !== "close") replies.push({ id, answer: expired() });
      else if (question.kind === "append") appends.push({ id, question });
      else others.push({ id, question });
    }
    for (let start = 0; start < appends.length; start += MOST_TOGETHER) {
      const group = appends.slice(start, start + MOST_TOGETHER);
      const answers = this.append(group.map(({ question }) => question));
      answers.forEach((answer, index) => {
        replies.push({ id: group[index]?.id ?? 0, answer });
      });
    }
    for (const { id, question } of others) replies.push({ id, answer: this.answer(question) });
    return replies;
  }

  /** What others have appended to the streams that are watched, since it was last asked for. */
  changes(): readonly StreamChange[] {
    try {
      const { table } = this.opened();
      const version = table.version();
      if (version === this.seenVersion) return [];
      const found = [...this.watched].map(([stream, known]) => ({ stream, known, revision: table.revisionOf(stream) }));
      this.seenVersion = version;
      const news = found.filter(({ known, revision }) => revision > known);
      for (const { stream, revision } of news) this.watched.set(stream, revision);
      return news.map(({ stream, revision }) => ({ stream, revision }));
    } catch (cause) {
      // Nobody asked, so nobody is notified; the next poll comes soon.
      this.failed(cause);
      return [];
    }
  }

  close(): void {
    const { file } = this;
    this.file = null;
    this.seenVersion = undefined;
    file?.connection.close();
  }

  private append(questions: readonly AppendQuestion[]): readonly Answer[] {
    try {
      const answers = appendAll(this.opened(), questions);
      if (answers.some((answer) => answer.kind === "failed" && REOPENING.includes(answer.code))) this.close();
      return answers;
    } catch (cause) {
      const answer = this.failed(cause);
      return questions.map(() => answer);
    }
  }

  private answer(question: OtherQuestion): Answer {
    try {
      if (question.kind === "close") {
        this.close();
        return { kind: "close" };
      }
      if (question.kind === "unwatch") {
        this.watched.delete(question.stream);
        return { kind: "unwatch" };
      }
      return this.found(question, this.opened());
    } catch (cause) {
      return this.failed(cause);
    }
  }

  private found(question: Exclude<OtherQuestion, { kind: "close" | "unwatch" }>, file: OpenFile): Answer {
    const { table } = file;
    switch (question.kind) {
      case "load":
        return { kind: "load", loaded: atOneMoment(file, () => table.load(question.stream, question.after)) };
      case "read":
        return {
          kind: "read",
          records: atOneMoment(file, () => table.read(question.stream, question.after, question.limit)),
        };
      case "list":
        return { kind: "list", streams: table.list(question.options) };
      case "watch": {
        const revision = table.revisionOf(question.stream);
        this.watched.set(question.stream, revision);
        return { kind: "watch", revision };
      }
      default:
        return unreachable(question);
    }
  }

  /** The file, opened again where it was given up; it must be the one that its path leads to. */
  private opened(): OpenFile {
    this.file ??= OpenFile.open(this.driver, { ...this.setting, creates: false, mode: "open" });
    this.file.demandInPlace();
    return this.file;
  }

  private failed(cause: unknown): Answer {
    const { code, message } = sqliteFailure(this.setting.shown, cause);
    if (REOPENING.includes(code)) this.close();
    return { kind: "failed", code, message };
  }
}

/** Several statements that see the same state of the file. */
function atOneMoment<T>(file: OpenFile, read: () => T): T {
  file.connection.exec("begin");
  try {
    return read();
  } finally {
    endTransaction(file);
  }
}

function expired(): Answer {
  const { code, message } = new StoreError("store_timeout", "the store did not get to it in time");
  return { kind: "failed", code, message };
}
