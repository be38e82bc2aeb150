import * as d from "../../base/decoder.js";
import type { Json } from "../../base/json.js";
import { BadRecord, RECORD_VERSION } from "../../guard/durable/log-record.js";
import { sum, sumJson } from "../../guard/durable/snapshot/form.js";
import { pairs } from "../../guard/durable/snapshot/plain-form.js";
import type { Table } from "../state/ahead.js";
import type { SharedResource } from "../state/shared-resource.js";
import type { Member, WorkflowState } from "../state/workflow-state.js";
import { touched, touchingCall } from "./decode-workflow-event.js";

const texts: d.Decoder<Set<string>> = (value, path) => new Set(d.list(d.string)(value, path));

const member = d.object({
  id: d.string,
  role: d.string,
  parent: d.nullable(d.string),
  status: d.oneOf("active", "cancel_requested", "closed", "killed"),
  killedWhy: d.string,
  steps: d.count,
  cost: sum,
  revision: d.count,
  children: texts,
  calls: pairs(touchingCall),
  resources: texts,
});

const resource = d.object({
  of: touched,
  users: pairs(d.object({ open: d.count, openMutating: d.count, done: d.count })),
});

const state = d.object({
  isKilled: d.boolean,
  killedWhy: d.string,
  sessions: pairs(member),
  active: d.count,
  openHandoffs: d.count,
  steps: d.count,
  cost: sum,
  resources: pairs(resource),
});

const frame = d.object({ v: d.count, workflow: d.string, hash: d.string, artifact: d.string, state: d.string });

function pairsJson<V>(table: Table<V>, json: (value: V) => unknown): unknown {
  return Array.from(table.entries(), ([name, value]) => [name, json(value)]);
}

function memberJson({ children, calls, resources, cost, ...rest }: Member): unknown {
  return {
    ...rest,
    cost: sumJson(cost),
    children: [...children],
    calls: pairsJson(calls, (call) => call),
    resources: [...resources],
  };
}

function resourceJson({ alias, key, users }: SharedResource): unknown {
  return { of: { alias, key }, users: pairsJson(users, (use) => use) };
}

/** The state of a workflow as plain JSON. */
export function workflowJson({ sessions, resources, cost, ...rest }: WorkflowState): Json {
  const json = {
    ...rest,
    cost: sumJson(cost),
    sessions: pairsJson(sessions, memberJson),
    resources: pairsJson(resources, resourceJson),
  };
  // Everything in it is JSON; only the types of its parts do not say so.
  return json as unknown as Json;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof d.DecodeFailure)) throw cause;
    throw new BadRecord(cause.expected === d.UNKNOWN_FIELD ? "it has an unknown field" : cause.message);
  }
}

/** The state of a workflow from what was stored. */
export function decodeWorkflow(stored: unknown): WorkflowState {
  return checked(() => {
    const { resources, ...rest } = state(stored, "state");
    const shared = new Map<string, SharedResource>();
    for (const [name, { of, users }] of resources) {
      shared.set(name, { ...of, users: new Map(Array.from(users, ([id, use]) => [id, { ...use }])) });
    }
    return {
      ...rest,
      sessions: new Map(Array.from(rest.sessions, ([id, each]) => [id, { ...each }])),
      resources: shared,
    };
  });
}

/** A snapshot whose state was not read yet: it may be sealed. */
export interface WorkflowSnapshot {
  readonly workflow: string;
  readonly hash: string;
  readonly artifact: string;
  readonly state: string;
}

/** The text of a snapshot. */
export function encodeWorkflowSnapshot(snapshot: WorkflowSnapshot): string {
  return JSON.stringify({ v: RECORD_VERSION, ...snapshot });
}

/** Reads the text of a snapshot. */
export function decodeWorkflowSnapshot(data: string): WorkflowSnapshot {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new BadRecord("it is no JSON");
  }
  const { v, ...rest } = checked(() => frame(value, "snapshot"));
  if (v > RECORD_VERSION) throw new BadRecord(`its version ${v} is later than ${RECORD_VERSION}, the latest known one`);
  return rest;
}
