import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { countAt, listAt, objectAt, objectsAt, omitted, textAt } from "../client/body.js";
import type { Dialect, LeftOut, OfferedTool, RawCall } from "../client/dialect.js";
import { outcomeOf, type ProviderCall } from "../core/provider-tools.js";
import { MessageStream } from "./message-stream.js";

/** The types of tools that the application executes; those of the provider's making have a version behind the name. */
const OF_APPLICATION = /^(?:custom|(?:bash|text_editor|computer|memory)_\d+)$/;

function offered(tool: Json): OfferedTool {
  const given = isJsonObject(tool) ? tool : {};
  const type = textAt(given, "type") ?? "custom";
  const server = textAt(given, "mcp_server_name");
  if (type === "mcp_toolset" && server !== null) return { name: `mcp:${server}`, isOfProvider: true };
  return { name: textAt(given, "name") ?? type, isOfProvider: !OF_APPLICATION.test(type) };
}

function offeredServer(server: Json): OfferedTool {
  return { name: `mcp:${(isJsonObject(server) ? textAt(server, "name") : null) ?? ""}`, isOfProvider: true };
}

function blocksOf(message: Json): readonly JsonObject[] {
  return isJsonObject(message) ? objectsAt(message, "content") : [];
}

function isCall({ type }: JsonObject): boolean {
  return type === "tool_use";
}

function answersTo(calls: readonly RawCall[], answers: ReadonlyMap<string, string>): readonly JsonObject[] {
  return calls.flatMap(({ id }) => {
    return id === null
      ? []
      : [{ type: "tool_result", tool_use_id: id, is_error: true, content: answers.get(id) ?? "" }];
  });
}

/** A block of a reply, as it can be sent back: the arguments of a call must be an object. */
function sentBack(block: JsonObject): JsonObject {
  const { input = null } = block;
  return isCall(block) && !isJsonObject(input) ? { ...block, input: { INVALID_JSON: input } } : block;
}

function contentOf(message: JsonObject | undefined): readonly Json[] {
  const content = message?.content;
  if (isJsonList(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}

function withNote({ system }: JsonObject, note: string): readonly Json[] {
  return [...contentOf({ content: system ?? "" }).filter((part) => part !== ""), { type: "text", text: note }].filter(
    (part) => !isJsonObject(part) || part.text !== "",
  );
}

/** What a thread is given once, when it begins. */
const OF_NEW_THREAD = ["system", "tools"];

/** What was left out beside a call, and beside its result. */
function restoredBeside(block: JsonObject, leftOut: ReadonlyMap<string, LeftOut>): readonly JsonObject[] {
  const called = isCall(block) ? leftOut.get(textAt(block, "id") ?? "") : undefined;
  if (called !== undefined) return called.calls.map(({ item }) => sentBack(item));
  const told = block.type === "tool_result" ? leftOut.get(textAt(block, "tool_use_id") ?? "") : undefined;
  return told === undefined ? [] : answersTo(told.calls, told.answers);
}

/** A call of the provider, and the result that stands beside it. */
function providerCall(block: JsonObject, blocks: readonly JsonObject[]): readonly ProviderCall[] {
  const isServer = block.type === "server_tool_use";
  const id = textAt(block, "id");
  if ((!isServer && block.type !== "mcp_tool_use") || id === null) return [];
  const name = isServer ? textAt(block, "name") : `mcp:${textAt(block, "server_name") ?? ""}`;
  const result = blocks.find((each) => each !== block && each.tool_use_id === id);
  const content = result?.content ?? null;
  const isFailed = result?.is_error === true || (isJsonObject(content) && content.error_code !== undefined);
  return [{ id, tool: name ?? "", args: block.input ?? {}, outcome: outcomeOf(content, isFailed) }];
}

/** The messages API. */
export const messages: Dialect = {
  provider: "anthropic",

  tools(request) {
    return [...listAt(request, "tools").map(offered), ...listAt(request, "mcp_servers").map(offeredServer)];
  },

  narrowed(request, isKept, note) {
    // A thread keeps the tools that it began with: then its calls alone are judged.
    const isThread = objectAt(request, "thread") !== undefined;
    const isLeft = (tool: OfferedTool) => isKept(tool) || (isThread && !tool.isOfProvider);
    const told = note === null || isThread ? request : { ...request, system: withNote(request, note) };
    const all = listAt(request, "tools");
    const tools = all.filter((tool) => isLeft(offered(tool)));
    const servers = listAt(request, "mcp_servers").filter((server) => isLeft(offeredServer(server)));
    const rest = omitted(told, "tools", "mcp_servers", ...(tools.length > 0 ? [] : ["tool_choice"]));
    const connected = servers.length > 0 ? { mcp_servers: servers } : {};
    if (tools.length > 0) return { ...rest, tools, ...connected };
    // A request whose messages have calls must have tools: then it says that none is to be used.
    const own = all.filter((tool) => !offered(tool).isOfProvider);
    return own.length === 0 ? { ...rest, ...connected } : { ...rest, tools: own, tool_choice: { type: "none" } };
  },

  results(request) {
    return listAt(request, "messages")
      .flatMap(blocksOf)
      .flatMap((block) => {
        const id = block.type === "tool_result" ? textAt(block, "tool_use_id") : null;
        return id === null ? [] : [{ id, content: block.content ?? null, isError: block.is_error === true }];
      });
  },

  withResults(request, texts) {
    const changed = objectsAt(request, "messages").map((message) => {
      if (!isJsonList(message.content)) return message;
      const content = message.content.map((block) => {
        const id = isJsonObject(block) && block.type === "tool_result" ? textAt(block, "tool_use_id") : null;
        const text = texts.get(id ?? "");
        return text === undefined || !isJsonObject(block) ? block : { ...block, is_error: true, content: text };
      });
      return { ...message, content };
    });
    return { ...request, messages: changed };
  },

  restored(request, leftOut) {
    const changed = objectsAt(request, "messages").map((message) => {
      const more = blocksOf(message).flatMap((block) => restoredBeside(block, leftOut));
      return more.length === 0 ? message : { ...message, content: [...listAt(message, "content"), ...more] };
    });
    return { ...request, messages: changed };
  },

  followed(request, later) {
    const thread = objectAt(request, "thread");
    const id = later(textAt(thread, "previous_message_id"));
    return id === null ? request : { ...request, thread: { ...thread, previous_message_id: id } };
  },

  answered(request, reply, answers) {
    const told = { role: "user", content: answersTo(messages.calls(reply), answers) };
    const id = textAt(reply, "id");
    if (objectAt(request, "thread") !== undefined && id !== null) {
      const thread = { type: "continue", previous_message_id: id };
      return { ...omitted(request, ...OF_NEW_THREAD), thread, messages: [told] };
    }
    const said = { role: "assistant", content: objectsAt(reply, "content").map(sentBack) };
    return { ...request, messages: [...listAt(request, "messages"), said, told] };
  },

  withUsage: (request) => request,

  calls: (reply) =>
    objectsAt(reply, "content")
      .filter(isCall)
      .map((item) => ({ id: textAt(item, "id"), item })),

  providerCalls(reply) {
    const blocks = objectsAt(reply, "content");
    return blocks.flatMap((block) => providerCall(block, blocks));
  },

  without(reply, ids) {
    const content = objectsAt(reply, "content").filter(
      (block) => !isCall(block) || !ids.has(textAt(block, "id") ?? ""),
    );
    return { ...reply, content };
  },

  usage(reply) {
    const { usage } = reply;
    if (!isJsonObject(usage)) return null;
    const input = countAt(usage, "input_tokens") + countAt(usage, "cache_creation_input_tokens");
    return { input, cachedInput: countAt(usage, "cache_read_input_tokens"), output: countAt(usage, "output_tokens") };
  },

  stream: () => new MessageStream(),
};
