import type { Json, JsonObject } from "../base/json.js";
import { workflowOf } from "../guard/durable/streams.js";

/** No store has a stream with a longer name. */
const LONGEST_NAME = 512;
/** No session has it in its id, so that a workflow and a session of one id are two logs. */
const MARK = "\0";

/** The name of a log: the id of its session, or one that stands for a workflow. */
export function workflowLog(stream: string): string {
  return `${MARK}${workflowOf(stream)}`;
}

/** Whether a log is that of a workflow. */
export function isWorkflowLog(name: string): boolean {
  return name.startsWith(MARK);
}

/** The workflow of such a log. */
export function workflowIn(name: string): string {
  return name.slice(MARK.length);
}

/** A name as files and reports have it. */
export function namedLog(name: string): { readonly session: string } | { readonly workflow: string } {
  return isWorkflowLog(name) ? { workflow: workflowIn(name) } : { session: name };
}

function isId(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && !value.includes(MARK) && Buffer.byteLength(value) <= LONGEST_NAME;
}

/** The name that a line of a file has, and the rest of the line; null if it has none. */
export function nameIn({
  session,
  workflow,
  ...rest
}: JsonObject): { readonly name: string; readonly rest: JsonObject } | null {
  if (isId(session) && workflow === undefined) return { name: session, rest };
  return isId(workflow) && session === undefined ? { name: `${MARK}${workflow}`, rest } : null;
}
