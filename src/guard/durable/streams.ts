const SESSIONS = "session/";
const ARTIFACTS = "artifact/";

/** The stream of a session. */
export function sessionStream(sessionId: string): string {
  return `${SESSIONS}${sessionId}`;
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
