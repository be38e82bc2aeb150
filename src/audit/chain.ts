import { FIRST_PREV, type LogRecord } from "../guard/durable/log-record.js";
import type { Note } from "../guard/durable/note.js";
import { isWorkflowLog, workflowIn } from "./log-name.js";
import type { Problems } from "./problem.js";

/** Where the log of a session ends. */
export interface SessionEnd {
  readonly session: string;
  readonly count: number;
  /** The hash of the last record; null if that cannot be read. */
  readonly hash: string | null;
}

/** The last record that was written with a snapshot. */
interface StateRecord {
  readonly n: number;
  readonly hash: string;
  readonly state: string;
  readonly artifact: string;
}

/** Checks the records of one session, in the order in which they come. */
export class Chain {
  private last = { n: 0, hash: FIRST_PREV as string | null };
  private artifact: string | null = null;
  /** Whether nothing is wrong so far. */
  isSound = true;
  /** The last record that a snapshot has to fit. */
  stateRecord: StateRecord | null = null;

  constructor(
    readonly session: string,
    private readonly problems: Problems,
  ) {}

  get end(): SessionEnd {
    return { session: this.session, count: this.last.n, hash: this.last.hash };
  }

  /** The place of the next record. */
  get next(): number {
    return this.last.n + 1;
  }

  /** The artifact of the last record. */
  get lastArtifact(): string | null {
    return this.artifact;
  }

  /** Continues behind a number of records that were checked before. */
  goOn(count: number): void {
    this.last = { n: count, hash: null };
  }

  /** Takes a record that can be read; false if it does not belong here. */
  take(record: LogRecord<unknown>): boolean {
    const { n, prev, hash, state, artifact } = record;
    if (n < this.next) {
      const isTwice = n === this.last.n && hash === this.last.hash;
      this.report(n, isTwice ? "is there twice" : "is there twice, or comes after later ones");
      return false;
    }
    if (n > this.next) this.reportGap(n);
    // Of a record that cannot be read the hash is not known.
    else if (this.last.hash !== null && prev !== this.last.hash) {
      this.report(n, "does not continue the record before it: one of them was changed, or is of another session");
    }
    this.checkOrigin(record);
    this.last = { n, hash };
    if (state !== undefined) this.stateRecord = { n, hash, state, artifact };
    return true;
  }

  /** Takes the place of a record that cannot be read. */
  takeUnreadable(why: string): void {
    this.report(this.next, `cannot be read: ${why}`);
    this.last = { n: this.next, hash: null };
  }

  report(index: number, what: string): void {
    this.isSound = false;
    this.problems.add(this.session, index, what);
  }

  private reportGap(n: number): void {
    const [from, to] = [this.next, n - 1];
    this.report(from, from === to ? "is missing" : `is missing, and so are those up to ${to}`);
  }

  private checkOrigin(record: LogRecord<unknown>): void {
    const { n, artifact, content } = record;
    const before = this.artifact;
    this.artifact = artifact;
    if ("sealed" in content) {
      if (before !== null && artifact !== before) {
        this.report(n, "is of another artifact, and whether the session was migrated is sealed");
      }
      return;
    }
    const { note } = content;
    if (n === 1) this.checkFirst(note);
    if (before !== null && artifact !== before && note?.migrated?.from !== before) {
      this.report(n, "is of another artifact, and the session was not migrated");
    }
  }

  private checkFirst(note: Note | null): void {
    if (isWorkflowLog(this.session)) {
      if (note?.workflow?.id !== workflowIn(this.session)) this.report(1, "does not open this workflow");
    } else if (note?.opened?.session !== this.session) {
      this.report(1, note?.opened === undefined ? "does not open a session" : "opens another session");
    }
  }
}
