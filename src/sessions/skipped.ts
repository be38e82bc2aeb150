import { SessionError } from "./session-error.js";

/** Sessions that a list had to leave out, and why: one that cannot be read must not hide the others. */
export class Skipped {
  private readonly errors = new Map<string, SessionError>();

  /** The sessions, each with the reason. */
  get all(): ReadonlyMap<string, SessionError> {
    return this.errors;
  }

  add(sessionId: string, error: SessionError): void {
    this.errors.set(sessionId, error);
  }

  /** What reading a session gives; null if it cannot be read. A store that does not answer ends the list. */
  async unless<T>(sessionId: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof SessionError)) throw cause;
      // It was removed since it was listed.
      if (cause.code !== "unknown_session") this.add(sessionId, cause);
      return null;
    }
  }

  /** Rejects the list if something is missing from it. */
  demandNone(): void {
    for (const error of this.errors.values()) throw error;
  }
}
