import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";

interface CallOfAgent {
  /** The agent's own name of its session. */
  readonly session: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The agent's id of the call. */
  readonly id: string;
}

/** What a coding agent says of one of its calls. */
export type HookEvent =
  | ({ readonly kind: "before" } & CallOfAgent)
  | ({ readonly kind: "after"; readonly output: Json } & CallOfAgent)
  | ({ readonly kind: "failed"; readonly error: string; readonly isInterrupt: boolean } & CallOfAgent)
  /** The agent's own permissions, or its user, refused the call: it is not made. */
  | ({ readonly kind: "denied" } & CallOfAgent);

/** The event cannot be read, so nothing is known of the call; the message says what is wrong and quotes nothing of it. */
export class UnreadableEvent extends Error {}

const NAMES = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"] as const;
type EventName = (typeof NAMES)[number];

function nameIn({ hook_event_name: given }: JsonObject): EventName {
  const name = NAMES.find((known) => known === given);
  if (name !== undefined) return name;
  throw new UnreadableEvent(`\`hook_event_name\` is none of ${NAMES.join(", ")}: register this hook for those alone`);
}

function textAt(event: JsonObject, field: string): string {
  const value = Object.hasOwn(event, field) ? event[field] : undefined;
  if (typeof value === "string" && value !== "") return value;
  throw new UnreadableEvent(`\`${field}\` of the event is not a text`);
}

/** It is the key of the call. */
const LONGEST_ID = 256;

function idIn(event: JsonObject): string {
  const id = textAt(event, "tool_use_id");
  if (id.length <= LONGEST_ID) return id;
  throw new UnreadableEvent(`\`tool_use_id\` of the event is longer than ${LONGEST_ID} characters`);
}

function argumentsIn({ tool_input: args }: JsonObject): JsonObject {
  if (args !== undefined && isJsonObject(args)) return args;
  throw new UnreadableEvent("`tool_input` of the event is not an object");
}

function callIn(event: JsonObject): CallOfAgent {
  return {
    session: textAt(event, "session_id"),
    tool: textAt(event, "tool_name"),
    args: argumentsIn(event),
    id: idIn(event),
  };
}

/** Reads the event that a coding agent writes to the standard input of its hook. */
export function readHookEvent(text: string): HookEvent {
  let event: Json;
  try {
    event = JSON.parse(text);
  } catch {
    throw new UnreadableEvent("standard input is not JSON: a coding agent writes the event of the hook there");
  }
  if (!isJsonObject(event)) throw new UnreadableEvent("the event is not an object");
  const name = nameIn(event);
  const call = callIn(event);
  switch (name) {
    case "PreToolUse":
      return { kind: "before", ...call };
    case "PostToolUse":
      if (event.tool_response === undefined) throw new UnreadableEvent("the event has no `tool_response`");
      return { kind: "after", ...call, output: event.tool_response };
    case "PostToolUseFailure":
      return { kind: "failed", ...call, error: textAt(event, "error"), isInterrupt: event.is_interrupt === true };
    case "PermissionDenied":
      return { kind: "denied", ...call };
  }
}
