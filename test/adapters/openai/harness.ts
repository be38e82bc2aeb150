import OpenAI from "openai";
import { guardClient } from "../../../src/adapters/openai/public.js";
import { opened, TOOLS } from "../client/pack.js";
import type { Talk, TalkSetting } from "../client/talk.js";
import { chatWire, responsesWire, wireServer } from "../client/wire.js";

export async function clientOf(setting: TalkSetting, api: "chat" | "responses") {
  const wire = api === "chat" ? chatWire : responsesWire;
  const server = await wireServer(wire, setting.turns, setting.pieceBytes);
  const guard = setting.guard ?? (await opened(setting.guardOptions));
  const bare = new OpenAI({ apiKey: "key", baseURL: `${server.url}/v1` });
  return { guard, received: server.received, client: guardClient(guard, bare, setting.options) };
}

export const MODEL = "m-2026-01-01";
const chatTools = TOOLS.map((name) => ({ type: "function" as const, function: { name } }));

async function chatTalk(setting: TalkSetting): Promise<Talk> {
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
  return { guard, received, say, read };
}

const responseTools = TOOLS.map((name) => ({ type: "function" as const, name, parameters: {}, strict: false }));

async function responsesTalk(setting: TalkSetting): Promise<Talk> {
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
  return { guard, received, say, read };
}

export const TALKS = [
  ["chat completions", chatTalk, false],
  ["chat completions in a stream", chatTalk, true],
  ["responses", responsesTalk, false],
  ["responses in a stream", responsesTalk, true],
] as const;
