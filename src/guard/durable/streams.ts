const SESSIONS = "session/";
const ARTIFACTS = "artifact/";
/** What no store keeps in the name of a stream, and how many bytes such a name may have. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const LONGEST_NAME = 512;

/** The stream of a session. */
export function sessionStream(sessionId: string): string {
  return `${SESSIONS}${sessionId}`;
}

/** Whether a store can have a session of this id. */
export function isStorable(sessionId: string): boolean {
  const stream = sessionStream(sessionId);
  return sessionId !== "" && !UNSTORABLE.test(stream) && Buffer.byteLength(stream) <= LONGEST_NAME;
}

/** The names of all streams of sessions begin with this. */
export const SESSION_PREFIX = SESSIONS;

/** The session of a stream. */
export function sessionOf(stream: string): string {
  return stream.slice(SESSIONS.length);
}

/** The stream of an artifact, by its hash. */
export function artifactStream(hash: string): string {
  return `${ARTIFACTS}${hash}`;
}
