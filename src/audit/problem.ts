import { isWorkflowLog, workflowIn } from "./log-name.js";

/** Something that is wrong with a log. It shows nothing of what records say. */
export interface Problem {
  /** Null if it does not belong to one session. */
  readonly session: string | null;
  /** The workflow, if it is about the log of one; then there is no session. */
  readonly workflow?: string;
  /** The place of the record in its session: 1 for the first. Null if it is about no single record. */
  readonly index: number | null;
  readonly what: string;
}

/** What checking a log found. */
export interface Report {
  readonly ok: boolean;
  readonly records: number;
  readonly sessions: number;
  /** How many workflows have a log; absent without any. */
  readonly workflows?: number;
  readonly problems: readonly Problem[];
  /** How many further problems there are; absent if all are listed. */
  readonly more?: number;
}

/** A log of a gigabyte may have a problem in every line. */
const MOST_LISTED = 1000;

/** Collects problems: the first ones are kept, the others counted. */
export class Problems {
  private readonly listed: Problem[] = [];
  private count = 0;

  add(session: string | null, index: number | null, what: string): void {
    this.count += 1;
    if (this.listed.length === MOST_LISTED) return;
    const isOfWorkflow = session !== null && isWorkflowLog(session);
    this.listed.push(
      isOfWorkflow ? { session: null, workflow: workflowIn(session), index, what } : { session, index, what },
    );
  }

  report({ records, sessions, workflows = 0 }: Pick<Report, "records" | "sessions" | "workflows">): Report {
    const more = this.count - this.listed.length;
    const of = workflows === 0 ? {} : { workflows };
    const found = { ok: this.count === 0, records, sessions, ...of, problems: this.listed };
    return more === 0 ? found : { ...found, more };
  }
}
