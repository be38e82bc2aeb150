import type { ClosePolicy, Happening, Status } from "./model.js";

/** One session of the workflow, as the whole history leaves it. */
export interface Session {
  readonly id: string;
  readonly role: string;
  readonly parent: string | null;
  readonly policy: ClosePolicy;
  readonly status: Status;
}

type Sessions = readonly Session[];

/** Neither closed nor killed. */
export function isLive({ status }: Session): boolean {
  return status === "active" || status === "cancel_requested";
}

/** The sessions that were handed off by it, by those, and so on. */
function descendantsOf(sessions: Sessions, id: string): Sessions {
  const children = sessions.filter(({ parent }) => parent === id);
  return children.flatMap((child) => [child, ...descendantsOf(sessions, child.id)]);
}

function changed(sessions: Sessions, id: string, change: Partial<Session>): Sessions {
  return sessions.map((session) => (session.id === id ? { ...session, ...change } : session));
}

function find(sessions: Sessions, id: string): Session {
  const session = sessions.find((candidate) => candidate.id === id);
  if (session === undefined) throw new Error(`no session ${id}`);
  return session;
}

/** A session ends, unless it has; then its children hear of it, each by its policy. */
function end(sessions: Sessions, id: string, status: "closed" | "killed"): Sessions {
  if (!isLive(find(sessions, id))) return sessions;
  const ended = changed(sessions, id, { status });
  return ended.filter(({ parent }) => parent === id).reduce((all, child) => parentEnded(all, child), ended);
}

function parentEnded(sessions: Sessions, child: Session): Sessions {
  switch (child.policy) {
    case "terminate":
      return killAll(sessions, [child, ...descendantsOf(sessions, child.id)]);
    case "request_cancel":
      return child.status === "active" ? changed(sessions, child.id, { status: "cancel_requested" }) : sessions;
    case "abandon":
      return isLive(child) ? changed(sessions, child.id, { parent: null }) : sessions;
  }
}

/** Those of them that have not ended are killed, whatever the policies between them say. */
function killAll(sessions: Sessions, those: Sessions): Sessions {
  return those.filter(isLive).reduce((all, { id }) => changed(all, id, { status: "killed" }), sessions);
}

function after(sessions: Sessions, happening: Happening): Sessions {
  switch (happening.kind) {
    case "started": {
      const { session: id, role, parent, policy } = happening;
      return [...sessions, { id, role, parent, policy, status: "active" }];
    }
    case "closed":
    case "killed":
      return end(sessions, happening.session, happening.kind);
    case "subtree_killed":
      return killAll(sessions, [find(sessions, happening.session), ...descendantsOf(sessions, happening.session)]);
    case "workflow_killed":
      return killAll(sessions, sessions);
    case "kill_refused":
      return sessions;
  }
}

/** All sessions, in the order of their starts. */
export function readSessions(history: readonly Happening[]): Sessions {
  return history.reduce<Sessions>(after, []);
}

export function isWorkflowKilled(history: readonly Happening[]): boolean {
  return history.some(({ kind }) => kind === "workflow_killed");
}
