import type { Block } from "./decide/verdict.js";
import type { Proposal } from "./program/program.js";
import type { Session } from "./session/session.js";

/** The place of a session in a workflow: what the guard asks of it. All of it is judged on what is known in this process. */
export interface Seat {
  /** Why the session may do nothing more: it or the workflow has ended, or it was asked to end; null if it may. */
  admit(): Block | null;
  /** The same if it was killed: calls that were allowed are not sent any more. */
  killed(): Block | null;
  /** What the limits of the workflow and its shared resources have against a call; null if nothing. */
  refuse(session: Session, proposal: Proposal): Block | null;
  /** All of that, in the order of the checks. */
  refusals(session: Session, proposal: Proposal): readonly Block[];
  /** The refusal of every call, whatever its tool and its arguments; null if some may be allowed. */
  refuseAll(session: Session): Block | null;
  /** What the limits have against another step; null if nothing. */
  refuseStep(): Block | null;
  /**
   * Calls the listener when this process learns that the session was asked to end, and when it has ended. It is forgotten when
   * nobody uses the object any more that it is for, if one is given.
   */
  onStatus(listener: () => void, usedBy?: object): void;
}
