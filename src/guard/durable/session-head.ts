import { isJsonObject, type Json } from "../../base/json.js";
import type { Session } from "../session/session.js";

/** What a list shows of a session without reading it. */
export interface SessionHead {
  readonly artifact: string;
  /** The role of the workflow that the session plays; null without one. */
  readonly role: string | null;
  /** The workflow that it is a session of, which knows whether it has ended; null without one. */
  readonly workflow: string | null;
  readonly agent: string;
  readonly phase: string | null;
  readonly killed: boolean;
  readonly toolCalls: number;
  readonly unsettled: number;
  /** The request that an answer is awaited for. */
  readonly pendingApproval: string | null;
  /** When it expires. */
  readonly deadline: number | null;
}

type Identity = Pick<SessionHead, "artifact" | "role" | "workflow" | "agent">;

/** Writes heads of a session: a text with every record, so that what never changes is written once. */
export function headWriter({ artifact, role, workflow, agent }: Identity): (session: Session) => string {
  const constant = JSON.stringify({ artifact, role, workflow: workflow ?? undefined, agent }).slice(0, -1);
  return ({ phase, isKilled, toolCalls, unsettled, approval }) => {
    const waiting =
      approval === null
        ? '"pendingApproval":null,"deadline":null'
        : `"pendingApproval":${JSON.stringify(approval.id)},"deadline":${JSON.stringify(approval.deadline)}`;
    return `${constant},"phase":${JSON.stringify(phase)},"killed":${isKilled},"toolCalls":${toolCalls},"unsettled":${unsettled.size},${waiting}}`;
  };
}

function textOr<T>(value: Json | undefined, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise;
}

function numberOr<T>(value: Json | undefined, otherwise: T): number | T {
  return typeof value === "number" ? value : otherwise;
}

/** Reads the head of a session; null if it is none. */
export function decodeHead(text: string): SessionHead | null {
  let head: Json;
  try {
    head = JSON.parse(text) as Json;
  } catch {
    return null;
  }
  if (!isJsonObject(head)) return null;
  const { artifact } = head;
  if (typeof artifact !== "string") return null;
  return {
    artifact,
    role: textOr(head.role, null),
    workflow: textOr(head.workflow, null),
    agent: textOr(head.agent, ""),
    phase: textOr(head.phase, null),
    killed: head.killed === true,
    toolCalls: numberOr(head.toolCalls, 0),
    unsettled: numberOr(head.unsettled, 0),
    pendingApproval: textOr(head.pendingApproval, null),
    deadline: numberOr(head.deadline, null),
  };
}
