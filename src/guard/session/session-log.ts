import type { Note } from "../durable/note.js";
import type { SessionEvent } from "./event.js";
import type { Session } from "./session.js";
import type { Wait } from "./store.js";

/** One thing that was recorded; an event, or null where only a note was. */
export interface LogEntry {
  readonly event: SessionEvent | null;
  /** The append that recorded it; null where that is not known. */
  readonly appendId: string | null;
}

/** What a log has beyond what was read of it. */
export interface LogPage {
  /** Begin with this state instead of the known one; null to go on with that. */
  readonly base: Session | null;
  readonly entries: readonly LogEntry[];
}

/** One decision, as it is recorded. */
export interface LogStep {
  readonly id: string;
  readonly events: readonly SessionEvent[];
  readonly note: Note | null;
  /** When it was decided; null if that is not known. */
  readonly at?: number | null;
  /** The state after it. */
  readonly after: Session;
  /** Its events say the same whoever records them: they are recognised where ids of appends are not kept. */
  readonly isSettlement: boolean;
  /** The state after it is recorded with it, because nobody can replay what came before. */
  readonly isBase?: boolean;
}

/** Where one session is recorded. It knows how much of it was read; its user lets one call end before the next. */
export interface SessionLog {
  /** Notes are recorded, and the same append may be sent again. */
  readonly isDurable: boolean;
  /** What time it is has to be asked before the next decision, by loading; absent where the log has no clock. */
  readonly isTimeDoubtful?: boolean;
  /** Runs an attempt to decide and record while nobody else of this process does that by what they share. */
  alone?<T>(wait: Wait, attempt: () => Promise<T>): Promise<T>;
  /** An attempt that waits for others of this process comes before them, except for those that are urgent too. */
  hasten?(): void;
  /** Makes a decision in one moment, where its time is recorded. */
  decided<T>(decide: () => T): { readonly made: T; readonly at: number | null };
  /** What came since the last call, or, from the start, all that is needed to rebuild the session. */
  load(from: "known" | "start", wait: Wait): Promise<LogPage>;
  /**
   * Reads what else decisions depend on, after the session: both were then true at one moment. If the session has changed, it is read
   * also where it was read just before. True if it changed.
   */
  catchUpBeside?(wait: Wait, isChanged: boolean): Promise<boolean>;
  /** True once it is recorded; false if others have recorded something that was not read yet. Rejects if that is unknown. */
  append(step: LogStep, wait: Wait): Promise<boolean>;
  /** Calls the listener after something was recorded, if the log can tell; the function that it returns ends it. */
  watch(listener: () => void): () => void;
}
