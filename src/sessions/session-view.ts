import type { Json } from "../base/json.js";
import type { RecordContent } from "../guard/durable/log-record.js";
import type { SessionState, UnsettledCall } from "../guard/public.js";
import type { SessionEvent } from "../guard/session/event.js";
import { stateOf } from "../guard/session/state.js";
import { unsettledCalls } from "../guard/unsettled-calls.js";
import type { SessionStatus } from "../workflow/state/workflow-state.js";
import { type StoredApproval, storedApproval } from "./approval-view.js";
import { operate } from "./operated-session.js";
import type { Skipped } from "./skipped.js";
import type { ListedSession, ReadRecord, StoreAccess } from "./store-access.js";
import { workflowStatuses } from "./workflow-statuses.js";

/** A session in a list. */
export interface SessionRow {
  readonly id: string;
  readonly artifact: string;
  readonly agent: string;
  readonly phase: string | null;
  readonly killed: boolean;
  /** Where it stands in its workflow; absent without one. */
  readonly status?: SessionStatus;
  readonly toolCalls: number;
  readonly unsettled: number;
  readonly pendingApprovals: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly updated: number;
}

/** Which sessions are listed. */
export interface SessionFilter {
  readonly status: "active" | "killed" | null;
  readonly limit: number;
}

/** A record without arguments and outputs, which may be private. */
export interface ShownRecord {
  readonly n: number;
  readonly at: number;
  readonly guard: string;
  readonly artifact: string;
  readonly event?: Json;
  readonly note?: Json;
}

/** A session with everything about it but arguments and outputs. */
export interface SessionView extends SessionState {
  readonly id: string;
  readonly artifact: string;
  /** Where it stands in its workflow; absent without one. */
  readonly status?: SessionStatus;
  readonly approvals: readonly StoredApproval[];
  readonly records: readonly ShownRecord[];
}

const SHOWN_RECORDS = 20;

/** What the heads of sessions do not tell: a workflow alone knows where its sessions stand. */
type Statuses = (listed: ListedSession) => Promise<SessionStatus | null>;

async function rowOf(access: StoreAccess, listed: ListedSession, statusOf: Statuses): Promise<SessionRow> {
  const { id, head, updated } = listed;
  const { artifact, agent, phase, toolCalls, unsettled } = head;
  const status = await statusOf(listed);
  const killed = head.killed || status === "killed";
  const isOver = killed || (status !== null && status !== "active");
  const pendingApprovals = !isOver && (await access.isWaiting(head)) ? 1 : 0;
  const row = { id, artifact, agent, phase, killed, toolCalls, unsettled, pendingApprovals, updated };
  return status === null ? row : { ...row, status };
}

function isListed({ killed, status }: SessionRow, wanted: SessionFilter["status"]): boolean {
  if (wanted === null) return true;
  return wanted === "killed" ? killed : !killed && status !== "closed";
}

/** The first sessions of a store in the order of their names; what cannot be read is added to `skipped`. */
export async function listedSessions(
  access: StoreAccess,
  { status, limit }: SessionFilter,
  skipped: Skipped,
): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  const statusOf = workflowStatuses(access);
  for await (const listed of access.sessions(skipped)) {
    const row = await skipped.unless(listed.id, () => rowOf(access, listed, statusOf));
    if (row !== null && isListed(row, status)) rows.push(row);
    if (rows.length === limit) break;
  }
  return rows;
}

/** The calls of one session, or of all of them, that were reserved and not settled. */
export async function unsettledIn(
  access: StoreAccess,
  sessionId: string | null,
  skipped: Skipped,
): Promise<readonly UnsettledCall[]> {
  const callsOf = (id: string) => operate(access, id, async ({ ledger }) => unsettledCalls(id, ledger.session));
  if (sessionId !== null) return callsOf(sessionId);
  const calls: UnsettledCall[] = [];
  for await (const { id, head } of access.sessions(skipped)) {
    if (head.unsettled > 0) calls.push(...((await skipped.unless(id, () => callsOf(id))) ?? []));
  }
  return calls;
}

/** One session with its last records. */
export function sessionView(access: StoreAccess, sessionId: string): Promise<SessionView> {
  return operate(access, sessionId, async ({ program, ledger, clock, seat }) => {
    const { session } = ledger;
    const { approval } = session;
    const isOver = session.isKilled || (seat !== null && seat.admit() !== null);
    const isWaiting = approval !== null && !isOver && clock.now() < approval.deadline;
    const records = await access.lastRecords(sessionId, SHOWN_RECORDS);
    return {
      ...{ id: sessionId, artifact: program.artifact.hash },
      ...stateOf(program, session),
      ...(seat === null ? {} : { killed: session.isKilled || seat.killed() !== null, status: seat.status }),
      approvals: isWaiting ? [storedApproval(sessionId, approval)] : [],
      records: records.map(shownRecord),
    };
  });
}

function shownRecord({ record, content }: ReadRecord): ShownRecord {
  const { n, at, guard, artifact } = record;
  return { ...{ n, at, guard, artifact }, ...(content === null ? {} : shownContent(content)) };
}

function shownContent({ event, note }: RecordContent): Pick<ShownRecord, "event" | "note"> {
  return {
    ...(event === null ? {} : { event: plain(withoutValues(event)) }),
    ...(note === null ? {} : { note: plain(withoutFields(note)) }),
  };
}

/** What a record holds came from JSON and is written as JSON. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function withoutValues(event: SessionEvent): object {
  switch (event.kind) {
    case "reserved": {
      const { args, ...rest } = event;
      return rest;
    }
    case "settled": {
      const { output, ...rest } = event;
      return rest;
    }
    case "approval_requested": {
      const { args, context, ...request } = event.request;
      return { ...event, request };
    }
    default:
      return event;
  }
}

function withoutFields({ call, ...rest }: NonNullable<RecordContent["note"]>): object {
  if (call === undefined) return rest;
  const { fields, context, ...shown } = call;
  return { ...rest, call: shown };
}
