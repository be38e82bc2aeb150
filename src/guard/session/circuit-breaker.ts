import type { Program } from "../program/program.js";
import type { KillCause, SessionEvent } from "./event.js";
import type { Session } from "./session.js";

/** A session ends once: later kills do not change the reason. */
export function endSession(session: Session, cause: KillCause, why: string): void {
  if (session.isKilled) return;
  session.isKilled = true;
  session.killedWhy = why;
  session.killedBy = cause;
}

/** Counts errors in a row; too many end the session. */
export function countErrors(
  program: Program,
  session: Session,
  { sign }: SessionEvent & { readonly kind: "settled" },
): void {
  if (sign === "success") session.errorsInRow = 0;
  if (sign !== "error") return;
  session.errorsInRow += 1;
  const most = program.pack.circuit_breaker.consecutive_errors;
  if (most !== null && session.errorsInRow >= most)
    endSession(session, "consecutive_errors", `${most} errors in a row`);
}

/** Counts blocks in a row; too many end the session. */
export function addBlocks(program: Program, session: Session, blocks: number): void {
  session.blocksInRow += blocks;
  const most = program.pack.circuit_breaker.consecutive_blocks;
  if (most !== null && session.blocksInRow >= most)
    endSession(session, "consecutive_blocks", `${most} blocks in a row`);
}
