import type { Json } from "../base/json.js";
import { contentBy, decodeRecordBy, type LogRecord } from "../guard/durable/log-record.js";
import type { Operator } from "../guard/durable/note.js";
import { opened } from "../guard/durable/sealing.js";
import { isStorable, workflowOf, workflowStream } from "../guard/durable/streams.js";
import { checkedKill } from "../workflow/api/checked-options.js";
import { killSessions } from "../workflow/api/kill-sessions.js";
import type { WorkflowView } from "../workflow/api/workflow-api.js";
import { workflowView } from "../workflow/api/workflow-view.js";
import { decodeWorkflowEvent } from "../workflow/log/decode-workflow-event.js";
import { type OpenCoordinator, openCoordinator } from "../workflow/log/open-coordinator.js";
import { decodeWorkflowHead } from "../workflow/log/workflow-head.js";
import type { KillScope, WorkflowEvent } from "../workflow/state/workflow-event.js";
import { OPERATOR } from "./operated-session.js";
import type { StoredAnswer } from "./operations.js";
import { SessionError } from "./session-error.js";
import type { ShownRecord } from "./session-view.js";
import type { Skipped } from "./skipped.js";
import type { StoreAccess } from "./store-access.js";

/** A workflow in a list. */
export interface WorkflowRow {
  readonly id: string;
  /** Its name in workflow.yaml. */
  readonly workflow: string;
  readonly artifact: string;
  readonly killed: boolean;
  /** How many sessions ever started, and how many of them have not ended. */
  readonly sessions: number;
  readonly active: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly updated: number;
}

/** A workflow with its last records. */
export interface ShownWorkflow extends WorkflowView {
  readonly id: string;
  readonly workflow: string;
  readonly artifact: string;
  readonly records: readonly ShownRecord[];
}

const SHOWN_RECORDS = 20;

function unreadable(id: string, why: string): SessionError {
  return new SessionError("session_unreadable", `the workflow \`${id}\` cannot be read: ${why}`);
}

/** The workflows of a store in the order of their names; those that cannot be read are added to `skipped`. */
export async function listedWorkflows(access: StoreAccess, skipped: Skipped): Promise<readonly WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  for await (const { stream, head: text, updated } of access.workflows()) {
    const [id, head] = [workflowOf(stream), decodeWorkflowHead(text)];
    if (head === null) skipped.add(id, unreadable(id, "its head is none of a workflow"));
    else rows.push({ id, ...head, updated });
  }
  return rows;
}

async function opening(access: StoreAccess, id: string) {
  const stream = workflowStream(id);
  const listed = isStorable(id) ? await access.stream(stream) : null;
  if (listed === null) throw new SessionError("unknown_workflow", `the store has no workflow \`${id}\``);
  const head = decodeWorkflowHead(listed.head);
  if (head === null) throw unreadable(id, "its head is none of a workflow");
  const { store, clock, sealing, times } = access;
  const parts = { store, guardId: OPERATOR, clock, sealing, storeTimeoutMs: times.storeTimeoutMs };
  const open = await openCoordinator(await access.artifact(head.artifact), id, parts);
  return { open, head, revision: listed.revision };
}

/** One workflow with its last records. */
export async function shownWorkflow(access: StoreAccess, id: string): Promise<ShownWorkflow> {
  const { open, head, revision } = await opening(access, id);
  const { workflow, artifact } = head;
  const after = Math.max(0, revision - SHOWN_RECORDS);
  const stored = await access.records(workflowStream(id), after, SHOWN_RECORDS);
  const records = await Promise.all(stored.map(({ data }) => shownRecord(access, data)));
  return { ...{ id, workflow, artifact }, ...workflowView(open.rules, open.coordinator.state), records };
}

async function shownRecord(access: StoreAccess, data: string): Promise<ShownRecord> {
  const record = decodeRecordBy(decodeWorkflowEvent, data);
  const { n, at, guard, artifact } = record;
  const { event, note } = await contentOf(access, record);
  return {
    ...{ n, at, guard, artifact },
    ...(event === null ? {} : { event: withoutKeys(event) }),
    ...(note === null ? {} : { note: plain(note) }),
  };
}

async function contentOf({ sealing, times }: StoreAccess, { content }: LogRecord<WorkflowEvent>) {
  if (!("sealed" in content)) return content;
  if (sealing === null) return { event: null, note: null };
  const wait = { ms: times.storeTimeoutMs, isIdle: false };
  return contentBy(decodeWorkflowEvent, Object(await opened(sealing, content.sealed, wait)));
}

/** What a record holds came from JSON and is written as JSON. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Which resource of its alias a call touches is one of its arguments. */
function withoutKeys(event: WorkflowEvent): Json {
  const shown =
    event.kind !== "progressed" || event.reserved === undefined
      ? event
      : {
          ...event,
          reserved: event.reserved.map(({ resources, ...call }) => ({
            ...call,
            resources: resources.map(({ alias }) => alias),
          })),
        };
  return plain(shown);
}

/** Ends sessions of a workflow; what is not permitted is recorded too. */
export async function killWorkflow(
  access: StoreAccess,
  id: string,
  {
    scope,
    session,
    operator,
  }: { readonly scope: KillScope; readonly session: string | null; readonly operator: Operator },
): Promise<{ readonly kind: "killed" } | (StoredAnswer & { readonly kind: "refused" })> {
  const { open } = await opening(access, id);
  if (session !== null && scope !== "workflow") requireSession(open, id, session);
  const { by, why } = operator;
  const named = session === null ? {} : { session };
  const refused = await killSessions(open, checkedKill({ scope, ...named, why, operator: by }));
  return refused === null ? { kind: "killed" } : { kind: "refused", reason: refused.reason };
}

function requireSession({ coordinator }: OpenCoordinator, id: string, session: string): void {
  if (coordinator.state.sessions.has(session)) return;
  throw new SessionError("unknown_session", `the workflow \`${id}\` has no session \`${session}\``);
}
