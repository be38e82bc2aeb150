import type { JsonObject } from "../../base/json.js";
import type { Proposal, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { copySession, type Session } from "../../guard/session/session.js";

/** When searches and the replays of what they found begin, in milliseconds since 1970. */
export const START_TIME = 0;

/** Sessions do not know the time: a guard reads it for each call. Searches keep it beside each session. */
const times = new WeakMap<Session, number>();

/** The time in a session, in milliseconds since 1970. */
export function timeIn(session: Session): number {
  return times.get(session) ?? START_TIME;
}

/** A copy of a session, at the same time. */
export function copyOf(session: Session): Session {
  return atTime(session, timeIn(session));
}

/** A copy of a session at another time. */
export function atTime(session: Session, now: number): Session {
  const copy = copySession(session);
  times.set(copy, now);
  return copy;
}

/** A call as it is decided in a session; the time matters only where a rule reads it. */
export function timedIn(session: Session, proposal: Proposal): Proposal {
  const now = timeIn(session);
  return proposal.tool.readsNow && proposal.now !== now ? { ...proposal, now } : proposal;
}

/** A call of a tool, ready to be judged in a session. */
export function proposalIn(session: Session, tool: Tool, args: JsonObject): Proposal {
  return timedIn(session, proposalOf(tool, args));
}
