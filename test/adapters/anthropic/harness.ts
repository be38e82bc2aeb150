import Anthropic from "@anthropic-ai/sdk";
import { guardClient } from "../../../src/adapters/anthropic/public.js";
import { opened, TOOLS } from "../client/pack.js";
import type { Talk, TalkSetting } from "../client/talk.js";
import { messagesWire, wireServer } from "../client/wire.js";

export const MODEL = "m-20260101";

export async function clientOf(setting: TalkSetting) {
  const server = await wireServer(messagesWire, setting.turns, setting.pieceBytes);
  const guard = setting.guard ?? (await opened(setting.guardOptions));
  const client = guardClient(guard, new Anthropic({ apiKey: "key", baseURL: server.url }), setting.options);
  return { guard, received: server.received, client };
}

const tools = TOOLS.map((name) => ({ name, input_schema: { type: "object" as const } }));

async function messagesTalk(setting: TalkSetting): Promise<Talk> {
  const { guard, received, client } = await clientOf(setting);
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  const { stream = false, signal } = setting;
  const options = signal === undefined ? {} : { signal };
  const say: Talk["say"] = async (...results) => {
    const told = results.map(({ id, content }) => ({ type: "tool_result" as const, tool_use_id: id, content }));
    if (told.length > 0) messages.push({ role: "user", content: told });
    const body = { model: MODEL, max_tokens: 100, messages, tools };
    const { content } = stream
      ? await client.messages.stream(body, options).finalMessage()
      : await client.messages.create(body, options);
    messages.push({ role: "assistant", content });
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    return {
      text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
      calls: calls.map(({ id, name, input }) => ({ id, tool: name, args: JSON.stringify(input) })),
    };
  };
  const read = () => {
    const all = received.at(-1)?.body.messages as readonly { content: readonly Record<string, string>[] | string }[];
    const blocks = all.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const results = blocks.filter(({ type }) => type === "tool_result");
    return Object.fromEntries(results.map(({ tool_use_id: id, content }) => [id, content]));
  };
  return { guard, received, say, read };
}

export const TALKS = [
  ["messages", messagesTalk, false],
  ["messages in a stream", messagesTalk, true],
] as const;
