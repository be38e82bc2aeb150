import type { JsonObject } from "../base/json.js";
import {
  BadRecord,
  decodeRecord,
  decodeRecordBy,
  type LogRecord,
  recordBy,
  recordOf,
} from "../guard/durable/log-record.js";
import { decodeWorkflowEvent } from "../workflow/log/decode-workflow-event.js";
import type { WorkflowEvent } from "../workflow/state/workflow-event.js";

/** A record, or why it is none. */
export type ReadRecord<R = LogRecord> =
  | { readonly record: R }
  | { readonly record: null /** Without anything of its content. */; readonly why: string };

function attempt<R>(read: () => R): ReadRecord<R> {
  try {
    return { record: read() };
  } catch (cause) {
    // Other errors quote what they found.
    return { record: null, why: cause instanceof BadRecord ? cause.message : "its content is none that guards write" };
  }
}

/** Reads a record as a store has it, whoever wrote it. */
export function readRecord(text: string): ReadRecord {
  return attempt(() => decodeRecord(text));
}

/** The same for a record of a workflow. */
export function readWorkflowRecord(text: string): ReadRecord<LogRecord<WorkflowEvent>> {
  return attempt(() => decodeRecordBy(decodeWorkflowEvent, text));
}

/** The same for a record of a workflow that was parsed. */
export function readParsedWorkflow(body: JsonObject): ReadRecord<LogRecord<WorkflowEvent>> {
  return attempt(() => recordBy(decodeWorkflowEvent, body));
}

/** The same for a record of a session that was parsed. */
export function readParsed(body: JsonObject): ReadRecord {
  return attempt(() => recordOf(body));
}
