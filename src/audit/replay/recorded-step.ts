import type { LogRecord, RecordContent } from "../../guard/durable/log-record.js";
import type { Note } from "../../guard/durable/note.js";
import type { SessionEvent } from "../../guard/session/event.js";

/** One decision as it was recorded: the records of one append. */
export interface RecordedStep {
  /** The place of its last record, which has the note. */
  readonly index: number;
  readonly at: number;
  readonly guard: string;
  readonly events: readonly SessionEvent[];
  /** Kills that were waiting for the store; they came before the decision. */
  readonly kills: readonly SessionEvent[];
  readonly note: Note | null;
}

/** A record that can be read. */
export type OpenRecord = LogRecord & { readonly content: RecordContent };

/** Whether the content of a record is readable. */
export function isOpen(record: LogRecord): record is OpenRecord {
  return !("sealed" in record.content);
}

/** The decision that the records of one append stand for; null without any. */
export function stepOf(records: readonly OpenRecord[]): RecordedStep | null {
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) return null;
  const all = records.flatMap(({ content }) => content.event ?? []);
  const isKill = all[0]?.kind === "killed";
  return {
    index: last.n,
    at: first.at,
    guard: first.guard,
    kills: isKill ? all.slice(0, 1) : [],
    events: isKill ? all.slice(1) : all,
    note: last.content.note,
  };
}
