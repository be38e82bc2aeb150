const SESSIONS = "session/";
const ARTIFACTS = "artifact/";
const WORKFLOWS = "workflow/";
/** What no store keeps in the name of a stream, and how many bytes of the 512 that it may have are left for an id. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const LONGEST_ID = 512 - "session/".length;

/** The stream of a session. */
export function sessionStream(sessionId: string): string {
  return `${SESSIONS}${sessionId}`;
}

/** Whether a store can have a session, or a workflow, of this id. */
export function isStorable(id: string): boolean {
  return id !== "" && !UNSTORABLE.test(id) && Buffer.byteLength(id) <= LONGEST_ID;
}

/** The names of all streams of sessions begin with this. */
export const SESSION_PREFIX = SESSIONS;

/** The session of a stream. */
export function sessionOf(stream: string): string {
  return stream.slice(SESSIONS.length);
}

/** The stream of a workflow: what concerns more than one of its sessions. */
export function workflowStream(workflowId: string): string {
  return `${WORKFLOWS}${workflowId}`;
}

/** The names of all streams of workflows begin with this. */
export const WORKFLOW_PREFIX = WORKFLOWS;

/** The workflow of a stream. */
export function workflowOf(stream: string): string {
  return stream.slice(WORKFLOWS.length);
}

/** The stream of an artifact, by its hash. */
export function artifactStream(hash: string): string {
  return `${ARTIFACTS}${hash}`;
}
