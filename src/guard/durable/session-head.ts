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

/** The text of the head of a session. */
export function encodeHead({ artifact, role, workflow, agent }: Identity, session: Session): string {
  const { phase, isKilled, toolCalls, unsettled, approval } = session;
  // A literal, no spread: it is written with every record.
  const head: Omit<SessionHead, "workflow"> & { readonly workflow: string | undefined } = {
    artifact,
    role,
    workflow: workflow ?? undefined,
    agent,
    phase,
    killed: isKilled,
    toolCalls,
    unsettled: unsettled.size,
    pendingApproval: approval === null ? null : approval.id,
    deadline: approval === null ? null : approval.deadline,
  };
  return JSON.stringify(head);
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
