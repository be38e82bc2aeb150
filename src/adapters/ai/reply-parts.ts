import { asSchema, type LanguageModelMiddleware, type ToolSet } from "ai";
import { foreignProperty } from "../../base/foreign-value.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { AgentReply, ReplyCall } from "../core/model-turn.js";
import { type ProviderCall, toolsOfServer } from "../core/provider-tools.js";
import type { Usage } from "../core/usage-cost.js";

type Middleware = Required<LanguageModelMiddleware>;
export type RequestParams = Parameters<Middleware["transformParams"]>[0]["params"];
export type Generated = Awaited<ReturnType<Middleware["wrapGenerate"]>>;
export type Streamed = Awaited<ReturnType<Middleware["wrapStream"]>>;
export type StreamPart = Streamed["stream"] extends ReadableStream<infer Part> ? Part : never;
type CallPart = Extract<StreamPart, { type: "tool-call" }>;
type ResultPart = Extract<StreamPart, { type: "tool-result" }>;
type Finish = Pick<Generated, "finishReason" | "usage">;

/** The finish reasons with which the SDK executes the calls of a reply. */
const EXECUTED: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

function parsed(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** The arguments that the SDK will execute: those that the schema of the tool makes of the model's. Null if it will refuse them. */
async function argumentsOf({ toolName, input }: CallPart, tools: ToolSet): Promise<JsonObject | null> {
  const value = parsed(input);
  const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  const checked = tool === undefined ? undefined : await asSchema(tool.inputSchema).validate?.(value);
  if (checked?.success === false) return null;
  const made: unknown = checked === undefined ? value : checked.value;
  // What a schema makes need not be JSON; the guard copies it, and refuses what is not.
  return isJsonObject(made as Json) ? (made as JsonObject) : null;
}

/** The server that the provider has called; null for its own tools. */
function serverOf(metadata: CallPart["providerMetadata"]): string | null {
  const name = foreignProperty(foreignProperty(metadata, "anthropic"), "serverName");
  return typeof name === "string" ? toolsOfServer(name) : null;
}

function usageOf({ inputTokens, outputTokens }: Finish["usage"]): Usage | null {
  const { total, noCache, cacheRead } = inputTokens;
  if (total === undefined || outputTokens.total === undefined) return null;
  const cachedInput = cacheRead ?? 0;
  return { input: noCache ?? total - cachedInput, output: outputTokens.total, cachedInput };
}

/** What of a request the reply is judged by. */
interface Asked {
  readonly tools: ToolSet;
  readonly choice: string | null;
  readonly signal: AbortSignal | undefined;
}

/** The parts of a reply, as they come. */
export class ReplyParts {
  private readonly calls: CallPart[] = [];
  private readonly results = new Map<string, ResultPart>();
  private text = "";
  private model: string | undefined;

  static of({ content, response }: Generated): ReplyParts {
    const parts = new ReplyParts();
    for (const part of content) {
      if (part.type === "text") parts.text += part.text;
      else if (part.type === "tool-call" || part.type === "tool-result") parts.add(part);
    }
    parts.model = response?.modelId;
    return parts;
  }

  add(part: StreamPart): void {
    if (part.type === "text-delta") this.text += part.delta;
    else if (part.type === "tool-call") this.calls.push(part);
    else if (part.type === "tool-result") this.results.set(part.toolCallId, part);
    else if (part.type === "response-metadata") this.model = part.modelId;
  }

  async reply(model: string, finish: Finish, { tools, choice, signal }: Asked) {
    const { finishReason, usage } = finish;
    const calls = this.calls.filter(({ providerExecuted }) => providerExecuted !== true);
    const isExecuted = EXECUTED.has(finishReason.unified);
    const read = async (part: CallPart): Promise<ReplyCall> => ({
      id: part.toolCallId,
      tool: part.toolName,
      args: isExecuted ? await argumentsOf(part, tools) : null,
    });
    return {
      model,
      answeredBy: this.model ?? model,
      text: this.text,
      calls: await Promise.all(calls.map(read)),
      made: this.providerCalls(),
      finish: finishReason.raw ?? finishReason.unified.replaceAll("-", "_"),
      choice,
      usage: usageOf(usage),
      signal,
    } satisfies AgentReply;
  }

  /** The calls that the provider of the model made itself. */
  private providerCalls(): readonly ProviderCall[] {
    const made = this.calls.filter(({ providerExecuted }) => providerExecuted === true);
    return made.map(({ toolCallId: id, toolName, input, providerMetadata }) => ({
      id,
      tool: serverOf(providerMetadata) ?? toolName,
      args: (parsed(input) ?? null) as Json,
      outcome: { kind: "result", output: this.results.get(id)?.result ?? null },
    }));
  }
}
