import { Chain, type SessionEnd } from "./chain.js";
import type { CheckpointCheck } from "./checkpoint-check.js";
import { type ExportLine, type Head, readLine } from "./export-line.js";
import { Problems } from "./problem.js";
import { readParsed } from "./read-record.js";
import type { Verified } from "./verified.js";

/** Checks the lines of an export, one after the other. What is kept does not grow with the number of records. */
class ExportCheck {
  private readonly problems = new Problems();
  private readonly ended = new Map<string, SessionEnd & Pick<Chain, "isSound">>();
  private chain: Chain | null = null;
  private records = 0;
  /** The sessions that lines of the head named. */
  private readonly named = new Set<string>();
  /** Whether another line of the head has to come; null before the first one. */
  private isHeadOpen: boolean | null = null;

  constructor(private readonly checkpoints: CheckpointCheck | null) {}

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
    const read = line.kind === "record" ? readParsed(line.body) : { record: null, why: line.why };
    if (read.record === null) chain.takeUnreadable(read.why);
    else if (chain.take(read.record)) this.checkpoints?.seen(chain.session, read.record, this.problems);
  }

  end(): Verified {
    this.close();
    if (this.isHeadOpen !== false) {
      this.problems.add(null, null, "the head record at the end is missing: the export was cut off");
    } else {
      for (const { session, count } of this.ended.values()) {
        if (!this.named.has(session)) this.problems.add(session, count, "the head record does not name the session");
      }
    }
    const ends = [...this.ended.values()];
    this.checkpoints?.ended(ends, this.problems);
    return { report: this.problems.report({ records: this.records, sessions: ends.length }), ends };
  }

  /** The chain that a line belongs to; a line that names no session belongs to the one before. */
  private chainOf(session: string | null): Chain | null {
    if (session === null || session === this.chain?.session) return this.chain;
    this.close();
    const before = this.ended.get(session);
    const chain = new Chain(session, this.problems);
    if (before !== undefined) {
      chain.report(before.count + 1, "stands among records of other sessions");
      chain.goOn(before);
    }
    this.chain = chain;
    return chain;
  }

  private close(): void {
    if (this.chain !== null) this.ended.set(this.chain.session, { ...this.chain.end, isSound: this.chain.isSound });
    this.chain = null;
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
    this.named.add(session);
    const found = this.ended.get(session);
    // Where records are missing or double, that was reported; the last one tells whether more is missing.
    if (found !== undefined && found.hash === hash && (found.count === count || !found.isSound)) return;
    if (found === undefined) {
      if (count > 0) this.problems.add(session, 1, `is missing, and so are all ${count} records of the session`);
    } else if (found.count < count) {
      this.problems.add(session, found.count + 1, `is missing: ${count} records were exported`);
    } else if (found.count > count) {
      this.problems.add(session, count + 1, `was added: ${count} records were exported`);
    } else {
      this.problems.add(session, count, "is not the last record that was exported");
    }
  }
}

/** Checks an export by itself: nothing in it was changed, moved, added or lost since it was made. */
export async function verifyExport(
  lines: AsyncIterable<string | null>,
  checkpoints: CheckpointCheck | null = null,
): Promise<Verified> {
  const check = new ExportCheck(checkpoints);
  for await (const line of lines) if (line === null || line.trim() !== "") check.take(readLine(line));
  return check.end();
}
