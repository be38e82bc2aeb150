import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { countAt, listAt, objectAt, objectsAt, omitted, parsedBody, textAt } from "../client/body.js";
import type { Dialect, OfferedTool, RawCall } from "../client/dialect.js";
import { outcomeOf, type ProviderCall } from "../core/provider-tools.js";
import { isCall, toolOfProvider } from "./response-items.js";
import { ResponseStream } from "./response-stream.js";

function offered(tool: Json): OfferedTool {
  const given = isJsonObject(tool) ? tool : {};
  const type = textAt(given, "type") ?? "";
  // Custom tools are executed by the application, and refused when they are called.
  if (type === "function" || type === "custom") return { name: textAt(given, "name") ?? "", isOfProvider: false };
  if (type === "mcp") return { name: `mcp:${textAt(given, "server_label") ?? ""}`, isOfProvider: true };
  return { name: type.startsWith("web_search") ? "web_search" : type, isOfProvider: true };
}

/** What a call of the provider says beside its arguments. */
const NO_ARGUMENTS = [
  "id",
  "type",
  "status",
  "output",
  "outputs",
  "results",
  "result",
  "error",
  "name",
  "server_label",
];

function providerCall(item: JsonObject): readonly ProviderCall[] {
  const type = toolOfProvider(item);
  const id = textAt(item, "id");
  if (type === null || id === null) return [];
  const tool = type === "mcp" ? `mcp:${textAt(item, "server_label") ?? ""}` : type;
  const text = textAt(item, "arguments");
  const args = (text === null ? null : parsedBody(text)) ?? omitted(item, ...NO_ARGUMENTS);
  const output = item.output ?? item.outputs ?? item.results ?? item.result ?? null;
  const isFailed = item.status === "failed" || (item.error ?? null) !== null;
  return [{ id, tool, args, outcome: outcomeOf(output, isFailed) }];
}

/** Calls that an application can answer, by the type of the item. */
const ANSWERED = new Set<Json | undefined>(["function_call", "custom_tool_call"]);

function rawCall(item: JsonObject): RawCall {
  return { id: ANSWERED.has(item.type) ? textAt(item, "call_id") : null, item };
}

function outputsFor(calls: readonly RawCall[], answers: ReadonlyMap<string, string>): readonly JsonObject[] {
  return calls.flatMap(({ id, item }) => {
    return id === null ? [] : [{ type: `${item.type}_output`, call_id: id, output: answers.get(id) ?? "" }];
  });
}

function inputOf({ input }: JsonObject): readonly Json[] {
  if (isJsonList(input)) return input;
  return typeof input === "string" ? [{ role: "user", content: input }] : [];
}

function resultId(item: Json): string | null {
  const type = isJsonObject(item) ? textAt(item, "type") : null;
  if (type !== "function_call_output" && type !== "custom_tool_call_output") return null;
  return isJsonObject(item) ? textAt(item, "call_id") : null;
}

/** Without storage the provider knows reasoning only where it comes back encrypted. */
function isKnownLater(item: JsonObject, { store }: JsonObject): boolean {
  return item.type !== "reasoning" || store !== false || textAt(item, "encrypted_content") !== null;
}

/** The responses API. */
export const responses: Dialect = {
  provider: "openai",

  tools: (request) => listAt(request, "tools").map(offered),

  narrowed(request, isKept, note) {
    const tools = listAt(request, "tools").filter((tool) => isKept(offered(tool)));
    const rest = omitted(request, "tools", ...(tools.length > 0 ? [] : ["tool_choice", "parallel_tool_calls"]));
    const told = [textAt(request, "instructions"), note].filter((each) => each !== null).join("\n\n");
    return { ...rest, ...(note === null ? {} : { instructions: told }), ...(tools.length > 0 ? { tools } : {}) };
  },

  results(request) {
    return inputOf(request).flatMap((item) => {
      const id = resultId(item);
      const content = isJsonObject(item) ? (item.output ?? null) : null;
      return id === null ? [] : [{ id, content, isError: false }];
    });
  },

  withResults(request, texts) {
    const input = inputOf(request).map((item) => {
      const text = texts.get(resultId(item) ?? "");
      return text === undefined || !isJsonObject(item) ? item : { ...item, output: text };
    });
    return { ...request, input };
  },

  restored(request, leftOut) {
    const input = inputOf(request);
    const ids = new Set(input.map((item) => (isJsonObject(item) && isCall(item) ? textAt(item, "call_id") : null)));
    const all = input.flatMap((item) => {
      const id = isJsonObject(item) ? textAt(item, "call_id") : null;
      const found = leftOut.get(id ?? "");
      if (id === null || found === undefined) return [item];
      const outputs = outputsFor(found.calls, found.answers);
      // A conversation that the provider keeps has the calls, and waits for their outputs.
      if (resultId(item) !== null) return ids.has(id) ? [item] : [item, ...outputs];
      return [item, ...found.calls.map((call) => call.item), ...outputs];
    });
    return { ...request, input: all };
  },

  followed(request, later) {
    const id = later(textAt(request, "previous_response_id"));
    return id === null ? request : { ...request, previous_response_id: id };
  },

  answered(request, reply, answers) {
    const outputs = outputsFor(responses.calls(reply), answers);
    // A conversation that the provider keeps has the rest.
    if ((request.conversation ?? null) !== null) return { ...request, input: outputs };
    const items = objectsAt(reply, "output").filter((item) => isKnownLater(item, request));
    return { ...request, input: [...inputOf(request), ...items, ...outputs] };
  },

  withUsage: (request) => request,

  calls: (reply) => objectsAt(reply, "output").filter(isCall).map(rawCall),

  providerCalls: (reply) => objectsAt(reply, "output").flatMap(providerCall),

  without(reply, ids) {
    const output = objectsAt(reply, "output").filter(
      (item) => !isCall(item) || !ids.has(textAt(item, "call_id") ?? ""),
    );
    return { ...reply, output };
  },

  usage(reply) {
    const usage = objectAt(reply, "usage");
    if (usage === undefined) return null;
    const cachedInput = countAt(objectAt(usage, "input_tokens_details"), "cached_tokens");
    const input = Math.max(0, countAt(usage, "input_tokens") - cachedInput);
    return { input, cachedInput, output: countAt(usage, "output_tokens") };
  },

  stream: () => new ResponseStream(),
};
