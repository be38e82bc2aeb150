import OpenAI from "openai";
import { type ClientOptions, guardClient } from "../../../src/adapters/openai/public.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { opened, TOOLS } from "../client/pack.js";
import { chatWire, type Received, responsesWire, type Turn, wireServer } from "../client/wire.js";

/** A call that the application is given. */
export interface Given {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
}

/** What the application gets of a reply. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Given[];
}

export type Result = { readonly id: string; readonly content: string };

/** A conversation over one of the two APIs, as an application without a runner keeps it. */
export interface Talk {
  readonly guard: Guard;
  readonly received: readonly Received[];
  readonly client: OpenAI;
  /** Sends what is new; results answer the calls of the last reply. */
  say(...results: readonly Result[]): Promise<Reply>;
  /** The results that the model read in the last request, by the id of the call. */
  read(): Readonly<Record<string, string>>;
}

interface Setting {
  readonly turns: readonly Turn[];
  readonly stream?: boolean;
  readonly options?: ClientOptions;
  readonly guard?: Guard;
  readonly guardOptions?: GuardOptions;
  readonly pieceBytes?: number;
  readonly signal?: AbortSignal;
}

export async function clientOf(setting: Setting, api: "chat" | "responses") {
  const wire = api === "chat" ? chatWire : responsesWire;
  const server = await wireServer(wire, setting.turns, setting.pieceBytes);
  const guard = setting.guard ?? (await opened(setting.guardOptions));
  const bare = new OpenAI({ apiKey: "key", baseURL: `${server.url}/v1` });
  return { guard, received: server.received, client: guardClient(guard, bare, setting.options) };
}

export const MODEL = "gpt-5.2-2026-01-01";
const chatTools = TOOLS.map((name) => ({ type: "function" as const, function: { name } }));

export async function chatTalk(setting: Setting): Promise<Talk> {
  const { guard, received, client } = await clientOf(setting, "chat");
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  const { stream = false, signal } = setting;
  const options = signal === undefined ? {} : { signal };
  const say: Talk["say"] = async (...results) => {
    messages.push(...results.map(({ id, content }) => ({ role: "tool" as const, tool_call_id: id, content })));
    const body = { model: MODEL, messages, tools: chatTools };
    const { choices } = stream
      ? await client.chat.completions.stream(body, options).finalChatCompletion()
      : await client.chat.completions.create(body, options);
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no message");
    messages.push(message);
    const calls = (message.tool_calls ?? []).map((call) => {
      if (call.type !== "function") throw new Error("not a function");
      return { id: call.id, tool: call.function.name, args: call.function.arguments };
    });
    return { text: message.content ?? "", calls };
  };
  const read = () => {
    const all = received.at(-1)?.body.messages as readonly Record<string, string>[];
    return Object.fromEntries(all.flatMap((each) => (each.role === "tool" ? [[each.tool_call_id, each.content]] : [])));
  };
  return { guard, received, client, say, read };
}

const responseTools = TOOLS.map((name) => ({ type: "function" as const, name, parameters: {}, strict: false }));

export async function responsesTalk(setting: Setting): Promise<Talk> {
  const { guard, received, client } = await clientOf(setting, "responses");
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "go" }];
  const { stream = false, signal } = setting;
  const options = signal === undefined ? {} : { signal };
  const say: Talk["say"] = async (...results) => {
    input.push(
      ...results.map(({ id, content }) => ({ type: "function_call_output" as const, call_id: id, output: content })),
    );
    const body = { model: MODEL, input, tools: responseTools };
    const { output, output_text: text } = stream
      ? await client.responses.stream(body, options).finalResponse()
      : await client.responses.create(body, options);
    const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    input.push(
      ...calls.map(({ call_id, name, arguments: args }) => ({
        type: "function_call" as const,
        call_id,
        name,
        arguments: args,
      })),
    );
    return { text, calls: calls.map(({ call_id, name, arguments: args }) => ({ id: call_id, tool: name, args })) };
  };
  const read = () => {
    const all = received.at(-1)?.body.input as readonly Record<string, string>[];
    const outputs = all.filter(({ type }) => type === "function_call_output");
    return Object.fromEntries(outputs.map(({ call_id, output }) => [call_id, output]));
  };
  return { guard, received, client, say, read };
}

export const TALKS = [
  ["chat completions", chatTalk, false],
  ["chat completions in a stream", chatTalk, true],
  ["responses", responsesTalk, false],
  ["responses in a stream", responsesTalk, true],
] as const;
