import { DurableLog } from "../guard/durable/durable-log.js";
import { isArtifactChanged } from "../guard/durable/log-errors.js";
import { neededFields } from "../guard/durable/needed-fields.js";
import { Recording } from "../guard/durable/recording.js";
import type { SessionHead } from "../guard/durable/session-head.js";
import { prepareProgram } from "../guard/program/prepare-program.js";
import type { Program } from "../guard/program/program.js";
import type { Clock } from "../guard/public.js";
import { packOf } from "../guard/resolved-options.js";
import { Ledger } from "../guard/session/ledger.js";
import { BrokenSession, isStoreUnavailable, type StoreUnavailable } from "../guard/session/store-errors.js";
import type { WorkflowSeat } from "../workflow/log/workflow-seat.js";
import { SessionError } from "./session-error.js";
import { type StoreAccess, unreadable } from "./store-access.js";

/** Guards that decide without a pause must not keep an operator out: what is to be ended may be just that. */
const MOST_CONFLICTS = 200;

/** Who writes the records of operators. */
export const OPERATOR = "operator";

/** A session that somebody looks at, or changes, from outside of its guards. */
export interface OperatedSession {
  readonly id: string;
  /** The role of the workflow that it plays; null without one. */
  readonly role: string | null;
  /** The workflow that it is a session of; null without one. */
  readonly workflow: string | null;
  readonly program: Program;
  readonly log: DurableLog;
  readonly ledger: Ledger;
  readonly recording: Recording;
  readonly clock: Clock;
  /** Its place in a workflow; null without one. */
  readonly seat: WorkflowSeat | null;
}

/**
 * The program of a session, from the artifact in the store. Calls are not judged with it: there is no principal, and rules
 * that compare with variables that are not set here do not hold.
 */
async function programOf(
  access: StoreAccess,
  sessionId: string,
  { artifact: hash, role }: SessionHead,
): Promise<Program> {
  const artifact = await access.artifact(hash);
  try {
    return prepareProgram(artifact, packOf(artifact, role ?? undefined), { env: access.env, principal: null });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unreadable(sessionId, "its artifact does not have the role that its head says");
  }
}

/** The place of a session in its workflow: what somebody does to the session is recorded there too. */
async function seatIn(access: StoreAccess, sessionId: string, program: Program, { role, workflow }: SessionHead) {
  if (workflow === null) return null;
  // Loaded when it is needed: most stores have no workflow.
  const { openSeat } = await import("../workflow/log/open-seat.js");
  const { store, clock, sealing, times } = access;
  const parts = { store, guardId: OPERATOR, clock, sealing, storeTimeoutMs: times.storeTimeoutMs };
  const seat = await openSeat({ program, sessionId, role, workflow }, parts);
  if (seat === null) throw unreadable(sessionId, `the workflow \`${workflow}\` does not have it`);
  return seat;
}

async function openOnce(access: StoreAccess, sessionId: string): Promise<OperatedSession> {
  const head = await access.head(sessionId);
  const { role, workflow } = head;
  const program = await programOf(access, sessionId, head);
  const { store, clock, sealing, times } = access;
  const seat = await seatIn(access, sessionId, program, head);
  const log = new DurableLog({
    ...{ store, program, sessionId, role, guardId: OPERATOR, clock, sealing, writesSnapshots: false },
    ...{ workflow, companion: seat },
  });
  const ledger = new Ledger(program, { log, ...times, mostAttempts: MOST_CONFLICTS });
  await ledger.open();
  const recording = new Recording({ sessionId, principal: null, clock, needed: neededFields(program) });
  return { id: sessionId, role, workflow, program, log, ledger, recording, clock, seat };
}

/** Whether a store answered with something that cannot be read: only then is it known what is wrong. */
function isUnread(cause: unknown): cause is StoreUnavailable & { readonly cause: Error } {
  return isStoreUnavailable(cause) && cause.cause instanceof Error;
}

async function isSealed(access: StoreAccess, sessionId: string): Promise<boolean> {
  try {
    const records = await access.lastRecords(sessionId, 1);
    return records.some(({ content }) => content === null);
  } catch (cause) {
    if (isUnread(cause)) return false;
    throw cause;
  }
}

/** Why a session could not be opened, in terms of the session where that is the reason. */
async function openingFailure(access: StoreAccess, sessionId: string, cause: unknown): Promise<unknown> {
  if (cause instanceof BrokenSession) return unreadable(sessionId, "its events do not fit together");
  if (isStoreUnavailable(cause) && cause.thrown === "store_damaged") {
    return unreadable(sessionId, "its records are not what was written: restore the store from a backup");
  }
  if (!isUnread(cause)) return cause;
  if (access.sealing !== null || !(await isSealed(access, sessionId))) {
    return unreadable(sessionId, `a record or its snapshot is refused: ${cause.cause.message}`);
  }
  return new SessionError(
    "session_sealed",
    `the session \`${sessionId}\` is sealed; open its store with the \`seal\` and \`open\` of its guards: \`openStore(url, { seal, open })\``,
  );
}

/** Opens a session by its id alone: its artifact is in the store too. */
async function openSession(access: StoreAccess, sessionId: string): Promise<OperatedSession> {
  try {
    return await openOnce(access, sessionId);
  } catch (cause) {
    throw await openingFailure(access, sessionId, cause);
  }
}

/** Somebody may move the session to another artifact meanwhile; so often it is opened again. */
const MOST_ATTEMPTS = 3;

/** Opens a session and does something with it, again if the session was moved to another artifact meanwhile. */
export async function operate<T>(
  access: StoreAccess,
  sessionId: string,
  work: (session: OperatedSession) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(await openSession(access, sessionId));
    } catch (cause) {
      if (!isArtifactChanged(cause)) throw cause;
      if (attempt === MOST_ATTEMPTS) throw unreadable(sessionId, "it was moved to another artifact meanwhile");
    }
  }
}
