import type { LogRecord, RecordContent } from "../../guard/durable/log-record.js";
import type { Note } from "../../guard/durable/note.js";
import { digestOf } from "../../guard/session/call-digest.js";
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

const DECIDED: ReadonlySet<SessionEvent["kind"]> = new Set([
  "reserved",
  "approval_requested",
  "approval_given",
  "settled",
  "late_result",
  "step_begun",
]);

/** Whether an event follows from a verdict only; a denial that came in time may be recorded later, without one. */
function isDecided(event: SessionEvent, _at: number, all: readonly SessionEvent[]): boolean {
  if (event.kind === "blocked") return !all.some((other) => other.kind === "approval_ended" && other.end === "denied");
  if (event.kind !== "approval_ended") return DECIDED.has(event.kind);
  return event.end === "approved" || event.end === "granted" || event.end === "resumed";
}

/** Whether such events are never recorded without a verdict. */
export function isDecision(events: readonly SessionEvent[]): boolean {
  return events.some(isDecided);
}

/** Whether a note is about several things at once, of which one would be judged. */
export function isOfSeveral(note: Note | null): boolean {
  const { settlement, verdict, call, answer, resumed, step } = note ?? {};
  const subjects = [settlement, call, answer, resumed, step].filter((subject) => subject !== undefined);
  return subjects.length > 1 || (settlement !== undefined && verdict !== undefined);
}

/**
 * Whether a call was reserved with less than all its arguments; null if that is not known. The request for its approval may have
 * more of them, if another guard wrote it.
 */
export function isReservedReduced({ events }: RecordedStep): boolean | null {
  const reserved = events.find(({ kind }) => kind === "reserved");
  if (reserved?.kind !== "reserved" || reserved.digest === undefined) return null;
  return digestOf(reserved) !== reserved.digest;
}
