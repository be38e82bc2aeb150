import { createHash } from "node:crypto";
import type { JsonObject } from "../base/json.js";
import type { LogRecord } from "../guard/durable/log-record.js";
import { Chain, type SessionEnd } from "./chain.js";
import type { CheckpointCheck } from "./checkpoint-check.js";
import { type ExportLine, type Head, readLine } from "./export-line.js";
import { isWorkflowLog } from "./log-name.js";
import { Problems, type Report } from "./problem.js";
import { type ReadRecord, readParsed, readParsedWorkflow } from "./read-record.js";

/** What is kept of a session until the end of the file names it. An export may have millions of them. */
interface Ended {
  readonly count: number;
  /** Part of the digest of the last hash. */
  readonly mark: string;
  readonly isSound: boolean;
}

function markOf(hash: string | null): string {
  return hash === null ? "" : createHash("sha256").update(hash).digest().subarray(0, 16).toString("latin1");
}

/** Checks the lines of an export, one after the other. What is kept does not grow with the number of records. */
class ExportCheck {
  private readonly problems = new Problems();
  /** The sessions that no line of the head has named yet. */
  private readonly ended = new Map<string, Ended>();
  private chain: Chain | null = null;
  private records = 0;
  private sessions = 0;
  private workflows = 0;
  /** Whether another line of the head has to come; null before the first one. */
  private isHeadOpen: boolean | null = null;

  constructor(
    private readonly checkpoints: CheckpointCheck | null,
    private readonly onEnd: (end: SessionEnd) => void,
  ) {}

  take(line: ExportLine): void {
    if (line.kind === "head") {
      this.takeHead(line.head);
      return;
    }
    this.records += 1;
    if (this.isHeadOpen !== null) {
      this.problems.add(line.session, null, "a line stands behind the head record");
      return;
    }
    const chain = this.chainOf(line.session);
    if (chain === null) {
      this.problems.add(null, null, `line ${this.records} cannot be read`);
      return;
    }
    const read = line.kind === "record" ? recordIn(chain.session, line.body) : { record: null, why: line.why };
    if (read.record === null) chain.takeUnreadable(read.why);
    else if (chain.take(read.record)) this.checkpoints?.seen(chain.session, read.record, this.problems);
  }

  end(): Report {
    this.close();
    if (this.isHeadOpen !== false) {
      this.problems.add(null, null, "the head record at the end is missing: the export was cut off");
    } else {
      for (const [session, { count }] of this.ended) {
        this.problems.add(session, count, "the head record does not name the session");
      }
    }
    this.checkpoints?.finish(this.problems);
    const { records, sessions, workflows } = this;
    return this.problems.report({ records, sessions, workflows });
  }

  /** The chain that a line belongs to; a line that names no session belongs to the one before. */
  private chainOf(session: string | null): Chain | null {
    if (session === null || session === this.chain?.session) return this.chain;
    this.close();
    const before = this.ended.get(session);
    const chain = new Chain(session, this.problems);
    if (before === undefined && isWorkflowLog(session)) this.workflows += 1;
    else if (before === undefined) this.sessions += 1;
    else {
      chain.report(before.count + 1, "stands among records of other sessions");
      chain.goOn(before.count);
    }
    this.chain = chain;
    return chain;
  }

  private close(): void {
    const { chain } = this;
    this.chain = null;
    if (chain === null) return;
    const { end, isSound } = chain;
    this.ended.set(chain.session, { count: end.count, mark: markOf(end.hash), isSound });
    this.checkpoints?.ended(end);
    this.onEnd(end);
  }

  private takeHead({ records, sessions, more }: Head): void {
    this.close();
    if (this.isHeadOpen === false) this.problems.add(null, null, "there is more than one head record");
    this.isHeadOpen = more;
    if (records !== this.records) {
      this.problems.add(null, null, `there are ${this.records} records, and ${records} were exported`);
    }
    for (const end of sessions) this.compare(end);
  }

  private compare({ session, count, hash }: SessionEnd): void {
    const found = this.ended.get(session);
    this.ended.delete(session);
    if (found === undefined) {
      if (count > 0) this.problems.add(session, 1, `is missing, and so are all ${count} records of the session`);
      return;
    }
    const isLast = found.mark === markOf(hash);
    // Where records are missing or double, that was reported; the last one tells whether more is missing.
    if (isLast && (found.count === count || !found.isSound)) return;
    if (found.count < count) {
      this.problems.add(session, found.count + 1, `is missing: ${count} records were exported`);
    } else if (found.count > count) {
      this.problems.add(session, count + 1, `was added: ${count} records were exported`);
    } else {
      this.problems.add(session, count, "is not the last record that was exported");
    }
  }
}

function recordIn(log: string, body: JsonObject): ReadRecord<LogRecord<unknown>> {
  return isWorkflowLog(log) ? readParsedWorkflow(body) : readParsed(body);
}

/** What else is done while a log is checked. */
export interface Checking {
  readonly checkpoints?: CheckpointCheck | null;
  /** Called where the log of each session ends. */
  readonly onEnd?: (end: SessionEnd) => void;
}

/** Checks an export by itself: nothing in it was changed, moved, added or lost since it was made. */
export async function verifyExport(
  lines: AsyncIterable<string | null>,
  { checkpoints = null, onEnd = () => undefined }: Checking = {},
): Promise<Report> {
  const check = new ExportCheck(checkpoints, onEnd);
  for await (const line of lines) if (line === null || line.trim() !== "") check.take(readLine(line));
  return check.end();
}
