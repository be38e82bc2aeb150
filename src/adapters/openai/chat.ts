import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { countAt, listAt, objectAt, objectsAt, omitted, textAt } from "../client/body.js";
import type { Dialect, OfferedTool, RawCall, ToolResult } from "../client/dialect.js";
import { ChatStream } from "./chat-stream.js";

/** Where the body of a request has a search that the provider runs. */
const SEARCH: OfferedTool = { name: "web_search", isOfProvider: true };

function offered(tool: Json): OfferedTool {
  const type = isJsonObject(tool) ? textAt(tool, "type") : null;
  const own = isJsonObject(tool) && type !== null ? objectAt(tool, type) : undefined;
  // Custom tools are executed by the application, and refused when they are called.
  const isOfProvider = type !== "function" && type !== "custom";
  return { name: textAt(own, "name") ?? type ?? "", isOfProvider };
}

/** The older form of tools. */
function offeredFunction(tool: Json): OfferedTool {
  return { name: (isJsonObject(tool) ? textAt(tool, "name") : null) ?? "", isOfProvider: false };
}

function messageOf(reply: JsonObject): JsonObject | undefined {
  return objectAt(objectsAt(reply, "choices")[0], "message");
}

function toolMessage(id: string, content: string): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

function answersTo(calls: readonly RawCall[], answers: ReadonlyMap<string, string>): readonly JsonObject[] {
  return calls.flatMap(({ id }) => (id === null ? [] : [toolMessage(id, answers.get(id) ?? "")]));
}

/** The names of the members that mean nothing without tools. */
const OF_TOOLS = ["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"];

/** Chat completions. */
export const chat: Dialect = {
  provider: "openai",

  tools(request) {
    const search = objectAt(request, "web_search_options") === undefined ? [] : [SEARCH];
    return [...listAt(request, "tools").map(offered), ...listAt(request, "functions").map(offeredFunction), ...search];
  },

  narrowed(request, isKept, note) {
    const tools = listAt(request, "tools").filter((tool) => isKept(offered(tool)));
    const functions = listAt(request, "functions").filter((tool) => isKept(offeredFunction(tool)));
    const lists = { ...(tools.length > 0 ? { tools } : {}), ...(functions.length > 0 ? { functions } : {}) };
    const isEmpty = tools.length + functions.length === 0;
    const rest = isEmpty ? omitted(request, ...OF_TOOLS) : omitted(request, "tools", "functions");
    const others = isKept(SEARCH) ? rest : omitted(rest, "web_search_options");
    const notes = note === null ? [] : [{ role: "system", content: note }];
    return { ...others, messages: [...listAt(request, "messages"), ...notes], ...lists };
  },

  results(request): readonly ToolResult[] {
    const results: ToolResult[] = [];
    for (const message of listAt(request, "messages")) {
      const id = isJsonObject(message) && message.role === "tool" ? textAt(message, "tool_call_id") : null;
      if (isJsonObject(message) && id !== null) results.push({ id, content: message.content ?? null, isError: false });
    }
    return results;
  },

  withResults(request, texts) {
    const messages = listAt(request, "messages").map((message) => {
      const id = isJsonObject(message) && message.role === "tool" ? textAt(message, "tool_call_id") : null;
      const text = id === null ? undefined : texts.get(id);
      return text === undefined || id === null ? message : toolMessage(id, text);
    });
    return { ...request, messages };
  },

  restored(request, leftOut) {
    const messages = objectsAt(request, "messages").flatMap((message): readonly JsonObject[] => {
      const calls = objectsAt(message, "tool_calls");
      const found = calls.map((call) => leftOut.get(textAt(call, "id") ?? "")).find((each) => each !== undefined);
      if (found === undefined) return [message];
      const all = [...calls, ...found.calls.map(({ item }) => item)];
      return [{ ...message, tool_calls: all }, ...answersTo(found.calls, found.answers)];
    });
    return { ...request, messages };
  },

  followed: (request) => request,

  answered(request, reply, answers) {
    const message = omitted(messageOf(reply) ?? {}, "annotations", "audio");
    const messages = [...listAt(request, "messages"), message, ...answersTo(chat.calls(reply), answers)];
    return { ...request, messages };
  },

  withUsage(request) {
    if (request.stream !== true) return request;
    return { ...request, stream_options: { ...objectAt(request, "stream_options"), include_usage: true } };
  },

  calls(reply) {
    return objectsAt(messageOf(reply), "tool_calls").map((item) => ({ id: textAt(item, "id"), item }));
  },

  providerCalls: () => [],

  without(reply, ids) {
    const choices = objectsAt(reply, "choices").map((choice) => {
      const message = objectAt(choice, "message");
      const left = objectsAt(message, "tool_calls").filter((call) => !ids.has(textAt(call, "id") ?? ""));
      return { ...choice, message: { ...message, tool_calls: left } };
    });
    return { ...reply, choices };
  },

  usage(reply) {
    const usage = objectAt(reply, "usage");
    if (usage === undefined) return null;
    const cachedInput = countAt(objectAt(usage, "prompt_tokens_details"), "cached_tokens");
    const input = Math.max(0, countAt(usage, "prompt_tokens") - cachedInput);
    return { input, cachedInput, output: countAt(usage, "completion_tokens") };
  },

  stream: (request) => new ChatStream(objectAt(request, "stream_options")?.include_usage === true),
};
