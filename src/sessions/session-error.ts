/** Why a session or an approval cannot be shown or changed. */
export type SessionErrorCode =
  | "unknown_session"
  | "unknown_workflow"
  | "unknown_approval"
  | "session_sealed"
  | "session_unreadable"
  | "output_unjudgeable";

/** The store answered, but it does not have what was asked for, or not in a form that can be read and judged here. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}
