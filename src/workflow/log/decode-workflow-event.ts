import * as d from "../../base/decoder.js";
import { BadRecord } from "../../guard/durable/log-record.js";
import type { ResourceKey, WorkflowEvent } from "../state/workflow-event.js";

const key: d.Decoder<ResourceKey> = d.either(d.string, d.either(d.number, d.boolean));

/** A resource that a call touches. */
export const touched = d.object({ alias: d.string, key });

/** A call that touches shared resources. */
export const touchingCall = d.object({ callId: d.string, isMutating: d.boolean, resources: d.list(touched) });

const kill = {
  scope: d.oneOf("session", "subtree", "workflow"),
  session: d.nullable(d.string),
  why: d.string,
  operator: d.nullable(d.string),
};

const event = d.tagged("kind", {
  started: { session: d.string, role: d.string, parent: d.nullable(d.string) },
  progressed: {
    session: d.string,
    steps: d.count,
    revision: d.count,
    costs: d.list(d.number),
    reserved: d.list(touchingCall),
    ended: d.list(d.object({ callId: d.string, isReleased: d.boolean })),
    killed: d.nullable(d.string),
  },
  closed: { session: d.string },
  killed: kill,
  kill_refused: kill,
});

/** What an event leaves out where there is nothing to say. */
const NOTHING = { revision: 0, costs: [], reserved: [], ended: [], killed: null };

/** Reads an event of a workflow; a record with anything else is refused, without showing it. */
export function decodeWorkflowEvent(value: unknown): WorkflowEvent {
  try {
    const isProgress = Object(value).kind === "progressed";
    const decoded = event(isProgress ? { ...NOTHING, ...Object(value) } : value, "event");
    if (decoded.kind !== "progressed") return decoded;
    const { killed, ...rest } = decoded;
    return killed === null ? rest : { ...rest, killed };
  } catch (cause) {
    if (!(cause instanceof d.DecodeFailure)) throw cause;
    throw new BadRecord(cause.expected === d.UNKNOWN_FIELD ? "its event has an unknown field" : cause.message);
  }
}
