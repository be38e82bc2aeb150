import type { StreamWrite } from "../durable-store.js";
import type { LogStep } from "../session/session-log.js";
import type { Wait } from "../session/store.js";
import type { Note } from "./note.js";

/** How an append ended, as far as that is known. */
export type AppendEnd = "appended" | "conflict" | "unknown";

/** Another stream that decisions about a session depend on, and that is written to together with it. */
export interface Companion {
  /** How many records of the other stream are known. */
  readonly revision: number;
  /** So many records it says that the session has at least. */
  readonly sessionRevision: number;
  /** Runs an attempt while nobody else of this process decides by the other stream; that is read first where it is outdated. */
  alone<T>(wait: Wait, attempt: () => Promise<T>): Promise<T>;
  /** An attempt that waits for that comes before those of others, except for urgent ones. */
  hasten(): void;
  /** Makes a decision, and remembers whether it depended on the other stream. */
  noticed<T>(decide: () => T): T;
  /** The note of the last decision, with what it depended on. */
  noted(note: Note): Note;
  /** Reads the other stream, unless that was done in this attempt and is enough; true if there was anything new. */
  catchUp(wait: Wait, isAgain?: boolean): Promise<boolean>;
  /** Whether everything that the last decision depended on is still so. */
  isCurrent(wait: Wait): Promise<boolean>;
  /** What a step adds to the other stream, after which the session has so many records; null if nothing. */
  written(step: LogStep, revision: number, wait: Wait): Promise<StreamWrite | null>;
  /** The append with what was written last has ended. */
  ended(end: AppendEnd): void;
  /** Calls the listener after something changed that decisions about the session depend on. */
  watch(listener: () => void): () => void;
}
