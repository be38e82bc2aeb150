import { isShortName } from "../../base/invariant.js";
import type { Program } from "../program/program.js";
import { decodeEvent } from "../session/decode-event.js";
import type { SessionEvent } from "../session/event.js";
import type { Session } from "../session/session.js";
import { ArtifactChanged } from "./log-errors.js";
import { BadRecord, firstPrev, RECORD_VERSION } from "./log-record.js";
import { headWriter } from "./session-head.js";
import { decodeSnapshot, encodeSnapshot } from "./session-snapshot.js";
import type { StreamForm } from "./stream-form.js";
import { sessionStream } from "./streams.js";

/** Which session a stream is about. */
export interface SessionIdentity {
  readonly program: Program;
  readonly sessionId: string;
  readonly role: string | null;
  /** The workflow that it is a session of; null without one. */
  readonly workflow: string | null;
}

function roleWord(role: string | null): string {
  return role === null ? "no role" : isShortName(role) ? `the role \`${role}\`` : "another role";
}

function checkRole(required: string | null, found: string | null): void {
  if (found !== required) throw new ArtifactChanged(roleWord(required), roleWord(found));
}

/** What the records of a session are, and what its head and its snapshots say. */
export function sessionForm({
  program,
  sessionId,
  role,
  workflow,
}: SessionIdentity): StreamForm<SessionEvent, Session> {
  const artifact = program.artifact.hash;
  const identity = { artifact, role, workflow, agent: program.pack.agent ?? "" };
  return {
    subject: "session",
    ...{ stream: sessionStream(sessionId), first: firstPrev(sessionId), artifact, read: decodeEvent },
    checkNote({ opened }) {
      if (opened === undefined) return;
      if (opened.session !== sessionId) throw new BadRecord("it is of another session");
      if ((opened.workflow ?? null) !== workflow) throw new BadRecord("it is of another workflow, or of none");
      checkRole(role, opened.role);
    },
    head: headWriter(identity),
    stateJson: encodeSnapshot,
    snapshot: (state, hash) => JSON.stringify({ v: RECORD_VERSION, session: sessionId, hash, artifact, role, state }),
    base(data) {
      const snapshot = decodeSnapshot(data);
      if (snapshot.session !== sessionId) throw new BadRecord("the snapshot is of another session");
      // The other contracts of a migrated session may have no such role.
      if (snapshot.artifact === artifact) checkRole(role, snapshot.role);
      return { ...snapshot, decode: (state) => snapshot.decode(program, state) };
    },
  };
}
