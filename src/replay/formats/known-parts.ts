import { isJsonList, type Json, type JsonObject } from "../../base/json.js";
import { show } from "../../base/wording.js";
import { UnreadableTrace } from "../traced-session.js";
import { given } from "./members.js";

/** Parts of a message that hold no call of the agent: texts, media, and what the provider runs itself, with its results. */
const BLOCKS: ReadonlySet<string> = new Set([
  "text",
  "input_text",
  "output_text",
  "summary_text",
  "reasoning_text",
  "refusal",
  "thinking",
  "redacted_thinking",
  "reasoning",
  "compaction",
  "image",
  "image_url",
  "input_image",
  "audio",
  "input_audio",
  "document",
  "file",
  "input_file",
  "container_upload",
  "search_result",
  "server_tool_use",
  "mcp_tool_use",
]);

/** Items of the responses API that hold no call of the agent. */
const ITEMS: ReadonlySet<string> = new Set([
  "reasoning",
  "compaction",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "tool_search_call",
  "tool_search_output",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
]);

const ROLES: ReadonlySet<Json | undefined> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Members in which other programs keep calls. */
const OF_CALLS = /^(?:parts|(?:invalid_)?tool_?(?:use|call)s?|function_?calls?)$/i;
const READ: ReadonlySet<string> = new Set(["tool_calls", "function_call"]);

/** A part that may be a call. Leaving it out would show a session without it as accepted. */
export function unknownType(type: Json | undefined, where: string): UnreadableTrace {
  const what = typeof type === "string" ? `the unknown type ${show(type)}` : "no known type";
  return new UnreadableTrace(`${where} has ${what}, and may be a call; for another form give --map`);
}

/** Whether an item without a `call_id` is one that the provider made itself. */
export function isOfProvider(type: string): boolean {
  return ITEMS.has(type);
}

/** Rejects a part of a message that may be a call. */
export function checkHoldsNoCall(block: JsonObject, where: string): void {
  const { type } = block;
  if (type === undefined && typeof block.text === "string") {
    checkMembers(block, where);
    return;
  }
  if (typeof type === "string" && (BLOCKS.has(type) || type.endsWith("_tool_result"))) return;
  throw unknownType(type, where);
}

/** Rejects a message of a form whose calls are not known. */
export function checkRole({ role }: JsonObject, where: string): void {
  if (ROLES.has(role)) return;
  const what = typeof role === "string" ? `the unknown role ${show(role)}` : "no known role";
  throw new UnreadableTrace(`${where} has ${what}, and may have calls; for another form give --map`);
}

/** Rejects members that look like calls and are not read. */
export function checkMembers(message: JsonObject, where: string): void {
  const isEmpty = (value: Json | undefined) => value === undefined || (isJsonList(value) && value.length === 0);
  const name = Object.keys(message).find(
    (key) => OF_CALLS.test(key) && !READ.has(key) && !isEmpty(given(message, key)),
  );
  if (name === undefined) return;
  throw new UnreadableTrace(`${where}.${name} may be a call, and is not read; for another form give --map`);
}
