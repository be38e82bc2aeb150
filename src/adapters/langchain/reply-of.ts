import type { AIMessage, ToolMessage } from "langchain";
import { foreignProperty } from "../../base/foreign-value.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { AgentReply, ReplyCall } from "../core/model-turn.js";
import type { ProviderCall } from "../core/provider-tools.js";
import { outputOfText } from "../core/text-output.js";
import type { Usage } from "../core/usage-cost.js";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

/** The arguments as a stream wrote them. LangChain reads what it can of them, even if they are not complete. */
function writtenOf(message: AIMessage, id: string): string | null {
  const chunks = foreignProperty(message, "tool_call_chunks");
  if (!Array.isArray(chunks)) return null;
  const chunk: unknown = chunks.find((each) => foreignProperty(each, "id") === id);
  const text = foreignProperty(chunk, "args");
  return typeof text === "string" && text !== "" && !isJson(text) ? text : null;
}

function usageOf(message: AIMessage): Usage | null {
  const usage = foreignProperty(message, "usage_metadata");
  const input = foreignProperty(usage, "input_tokens");
  const output = foreignProperty(usage, "output_tokens");
  if (typeof input !== "number" || typeof output !== "number") return null;
  const cached = foreignProperty(foreignProperty(usage, "input_token_details"), "cache_read");
  const cachedInput = typeof cached === "number" ? cached : 0;
  return { input: input - cachedInput, output, cachedInput };
}

function firstText(message: AIMessage, ...names: readonly string[]): string | null {
  const found = names.map((name) => message.response_metadata[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
}

/**
 * Why the reply ended; null if it did not. Streams of some models lose the word for it, and say only what they used: no rule is satisfied by
 * `unknown`.
 */
function finishOf(message: AIMessage): string | null {
  const word = firstText(message, "finish_reason", "stop_reason", "finishReason", "stopReason");
  const isWhole = foreignProperty(message, "tool_call_chunks") === undefined || usageOf(message) !== null;
  return word ?? (isWhole ? "unknown" : null);
}

/** What of a request the reply is judged by. */
interface Asked {
  readonly names: readonly string[];
  readonly choice: string | null;
  readonly signal: AbortSignal | undefined;
}

/** The reply in a message; calls of other than these tools are not executed. */
export function replyOf(message: AIMessage, model: string, { names, choice, signal }: Asked): AgentReply {
  const calls = (message.tool_calls ?? []).map(({ id = "", name, args }): ReplyCall => {
    const written = writtenOf(message, id);
    const isOurs = names.includes(name);
    return {
      id,
      tool: name,
      // Arguments of a model are JSON.
      args: isOurs ? (args as JsonObject) : null,
      ...(written === null || !isOurs ? {} : { written }),
    };
  });
  return {
    model,
    answeredBy: firstText(message, "model_name", "model") ?? model,
    text: message.text,
    calls,
    made: providerCallsOf(message),
    finish: finishOf(message),
    choice,
    usage: usageOf(message),
    signal,
  };
}

/** The calls that the provider of the model made itself, as far as LangChain tells of them. */
function providerCallsOf(message: AIMessage): readonly ProviderCall[] {
  const blocks = message.contentBlocks.filter(({ type }) => type === "server_tool_call");
  const results = message.contentBlocks.filter(({ type }) => type === "server_tool_call_result");
  return blocks.map((block) => {
    const id = String(foreignProperty(block, "id") ?? "");
    const result = results.find((each) => foreignProperty(each, "toolCallId") === id);
    return {
      id,
      tool: String(foreignProperty(block, "name")),
      args: (foreignProperty(block, "args") ?? null) as Json,
      outcome: { kind: "result", output: foreignProperty(result, "output") ?? null },
    };
  });
}

/** What rules on outputs judge of a message: what its text is the JSON of, that text, or the list of its contents. */
export function outputOf({ content }: ToolMessage): unknown {
  return typeof content === "string" ? outputOfText(content) : { content };
}
