import { isJsonList, isJsonObject, type JsonObject } from "../../base/json.js";
import { member, objectAt, parsedArguments, textAt, Unreadable } from "./body.js";
import type { ModelCall } from "./public.js";
import type { Reading } from "./reading.js";
import { hasText } from "./text.js";

interface Item {
  readonly type: string;
  readonly item: JsonObject;
  readonly where: string;
}

/** A call that was cut off may have arguments that only look complete. */
function callOf({ item, where }: Item): ModelCall {
  const status = member(item, "status");
  if (status !== undefined && status !== null && status !== "completed") {
    throw new Unreadable(`a call that is complete in ${where}`, "one that is not");
  }
  return {
    id: textAt(member(item, "call_id"), `${where}.call_id`),
    tool: textAt(member(item, "name"), `${where}.name`),
    args: parsedArguments(member(item, "arguments"), `${where}.arguments`),
  };
}

/** Calls of tools that the provider runs itself. */
const OF_PROVIDER: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
]);

/** A search for tools says who runs it; one by the provider need not have an id. */
function isOfProvider({ type, item }: Item): boolean {
  return OF_PROVIDER.has(type) || (type === "tool_search_call" && member(item, "execution") === "server");
}

/**
 * Calls that the provider runs itself have a known type, or come with their output. All others besides functions (custom tools,
 * shells, computers, and unknown kinds) are run by the caller, and have no arguments that a contract could judge.
 */
function refuseOtherCalls(items: readonly Item[]): void {
  const answered = new Set(
    items.flatMap(({ type, item }) => (type.endsWith("_output") ? [member(item, "call_id")] : [])),
  );
  for (const each of items) {
    const { type, item, where } = each;
    const id = member(item, "call_id");
    const isCall = type.endsWith("_call") || (id !== undefined && !type.endsWith("_output"));
    if (!isCall || type === "function_call" || isOfProvider(each)) continue;
    if (typeof id === "string" && answered.has(id)) continue;
    throw new Unreadable(
      `a function_call in ${where}`,
      type === "custom_tool_call" ? "a call of a custom tool" : "another kind of call",
    );
  }
}

function statusOf(body: JsonObject): string | null {
  const status = member(body, "status");
  if (status === undefined) return null;
  if (status === "completed" || status === "incomplete") return status;
  throw new Unreadable("a response that is finished", "one that failed, was cancelled or is still being made");
}

function finishOf(body: JsonObject, hasCalls: boolean): string | null {
  const status = statusOf(body);
  if (hasCalls) return "tool_calls";
  if (status !== "incomplete") return status === null ? null : "stop";
  const details = member(body, "incomplete_details");
  const reason = isJsonObject(details) ? member(details, "reason") : undefined;
  return typeof reason === "string" ? reason : status;
}

/** Reads the body of a response of the responses API. */
export function readResponse(body: JsonObject): Reading {
  const output = member(body, "output");
  if (!isJsonList(output)) throw new Unreadable("a list in output", "something else");
  const items = output.map((value, index): Item => {
    const where = `output[${index}]`;
    const item = objectAt(value, where);
    return { type: textAt(member(item, "type"), `${where}.type`), item, where };
  });
  refuseOtherCalls(items);
  const calls = items.filter(({ type }) => type === "function_call").map(callOf);
  const messages = items.filter(({ type }) => type === "message");
  const texts = messages.map(({ item, where }) => hasText(member(item, "content"), `${where}.content`));
  return { calls, finish: finishOf(body, calls.length > 0), hasText: texts.includes(true), isCutOff: false };
}
