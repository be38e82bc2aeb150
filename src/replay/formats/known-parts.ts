import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { show } from "../../base/wording.js";
import { UnreadableTrace } from "../traced-session.js";

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
  "computer_screenshot",
  "video_url",
  "audio",
  "input_audio",
  "document",
  "file",
  "input_file",
  "container_upload",
  "document_url",
  "search_result",
  "reference",
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

/** Members in which other programs keep calls, and words that they have for the type of one. */
const OF_CALLS = /^(?:(?:invalid_)?tool_?(?:use|call|invocation)s?|function_?calls?)$/i;
const CALL = /^(?:custom_)?(?:tool|function)[-_]?(?:use|call|invocation)s?$/i;
const OF_TYPE = /(?:type|kind)$/i;

/** Members of a message that are read as its calls; the rest of it is not. */
const READ: ReadonlySet<string> = new Set(["tool_calls", "function_call", "content"]);

/** Members of a line that may have said what the model did, beside its messages. */
const OF_ANSWERS = /^(?:response|outputs?|completions?|choices|content|messages?|input|generations?)$/;

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
  const rest = Object.entries(message).filter(([name]) => !READ.has(name));
  const parts = rest.find(([name, value]) => name === "parts" && isFilled(value));
  rejectCall(parts?.[0] ?? callIn(rest), where);
}

/** Rejects a line that has calls beside the messages of it that are read. */
export function checkRest(line: JsonObject, read: readonly string[]): void {
  const rest = Object.entries(line).filter(([name]) => !read.includes(name));
  rejectCall(callIn(rest.filter(([name]) => OF_CALLS.test(name) || OF_ANSWERS.test(name))), "");
}

function rejectCall(path: string | undefined, where: string): void {
  if (path === undefined) return;
  const at = where === "" ? path : `${where}.${path}`;
  throw new UnreadableTrace(`${at} may be a call, and is not read; for another form give --map`);
}

function isFilled(value: Json): boolean {
  return isJsonList(value) ? value.length > 0 : isJsonObject(value);
}

function isCall(name: string, value: Json): boolean {
  if (OF_CALLS.test(name)) return isFilled(value);
  return OF_TYPE.test(name) && typeof value === "string" && CALL.test(value);
}

/** The path of a member that looks like a call, at any depth. */
function callIn(members: readonly (readonly [string, Json])[]): string | undefined {
  const left = members.map(([name, value]) => ({ name, value, path: name })).reverse();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { name, value, path } = next;
    if (isCall(name, value)) return path;
    if (isJsonList(value)) {
      for (const [index, item] of value.entries()) left.push({ name: "", value: item, path: `${path}[${index}]` });
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) left.push({ name: key, value: item, path: `${path}.${key}` });
    }
  }
  return undefined;
}
