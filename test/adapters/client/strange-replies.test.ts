import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { guardClient as guardAnthropic } from "../../../src/adapters/anthropic/public.js";
import { guardClient as guardOpenAI } from "../../../src/adapters/openai/public.js";
import { opened } from "./pack.js";
import { splitFetch } from "./wire.js";

const MODEL = "m-2026-01-01";
/** More than the pack allows. */
const ARGS = { n: 5000 };
const CALL = { id: "a", type: "function", function: { name: "pay", arguments: JSON.stringify(ARGS) } };

type Event = Readonly<Record<string, unknown>>;

function fetchOf(events: readonly Event[]): typeof fetch {
  const text = events.map((data) => {
    const name = typeof data.type === "string" ? `event: ${data.type}\n` : "";
    return `${name}data: ${JSON.stringify(data)}\n\n`;
  });
  return splitFetch(Buffer.from(text.join("")), 7);
}

/** All that an application can see of a stream, and the error that ended it. */
type Seen = { readonly text: string; readonly failed: boolean };

async function all(events: AsyncIterable<unknown>): Promise<Seen> {
  const seen: unknown[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { text: JSON.stringify(seen), failed: false };
  } catch {
    return { text: JSON.stringify(seen), failed: true };
  }
}

const bare = { apiKey: "k", logLevel: "off", maxRetries: 0 } as const;

const choice = (more: Event) => ({
  id: "x",
  object: "chat.completion.chunk",
  model: MODEL,
  choices: [{ index: 0, delta: {}, finish_reason: null, ...more }],
});
const WHOLE = { role: "assistant", content: null, tool_calls: [CALL] };

async function chat(events: readonly Event[]): Promise<Seen> {
  const client = guardOpenAI(await opened(), new OpenAI({ ...bare, fetch: fetchOf(events) }));
  return all(await client.chat.completions.create({ model: MODEL, messages: [], stream: true }));
}

const ITEM = { type: "function_call", id: "fc", call_id: "a", name: "pay", arguments: JSON.stringify(ARGS) };
const response = (type: string, output: readonly Event[]) => ({
  type,
  response: { id: "r", object: "response", model: MODEL, status: type.slice(9), output },
});

async function responses(events: readonly Event[]): Promise<Seen> {
  const client = guardOpenAI(await opened(), new OpenAI({ ...bare, fetch: fetchOf(events) }));
  return all(await client.responses.create({ model: MODEL, input: "go", stream: true }));
}

const BLOCK = { type: "tool_use", id: "a", name: "pay", input: ARGS };
const start = (content: readonly Event[]) => ({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: MODEL, content, stop_reason: null, usage: {} },
});
const END = [
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];

async function messages(events: readonly Event[]): Promise<Seen> {
  const client = guardAnthropic(await opened(), new Anthropic({ ...bare, fetch: fetchOf(events) }));
  const body = { model: MODEL, max_tokens: 9, messages: [{ role: "user" as const, content: "go" }] };
  return all(await client.messages.create({ ...body, stream: true }));
}

const DELTA = { tool_calls: [{ index: 0, ...CALL }] };
const PROTOTYPE = JSON.parse(JSON.stringify({ proto: DELTA }).replace("proto", "__proto__"));
const item = (end: string, given: Event) => ({ type: `response.output_item.${end}`, output_index: 0, item: given });
const block = (index: number, content_block: Event) => ({ type: "content_block_start", index, content_block });

describe("a stream with a call where no format has one", () => {
  it.each<[string, () => Promise<Seen>]>([
    ["a whole message in a chunk", () => chat([choice({ message: WHOLE }), choice({ finish_reason: "tool_calls" })])],
    ["a whole message at the end", () => chat([choice({ message: WHOLE, finish_reason: "tool_calls" })])],
    ["choices that are no list", () => chat([{ ...choice({}), choices: { 0: { delta: WHOLE } } }])],
    [
      "an item without an index",
      () => responses([{ type: "response.output_item.done", item: ITEM }, response("response.completed", [])]),
    ],
    [
      "an item whose index is a text",
      () =>
        responses([
          { type: "response.output_item.done", output_index: "0", item: ITEM },
          response("response.completed", []),
        ]),
    ],
    [
      "a block without an index",
      () => messages([start([]), { type: "content_block_start", content_block: BLOCK }, ...END]),
    ],
    ["a message that begins with blocks", () => messages([start([BLOCK]), ...END])],
    [
      "a chunk whose error is none",
      () => chat([{ ...choice({ delta: DELTA }), error: false }, choice({ finish_reason: "tool_calls" })]),
    ],
    [
      "members that helpers of the SDK take for a prototype",
      () => chat([choice({ delta: PROTOTYPE }), choice({ finish_reason: "stop" })]),
    ],
    [
      "an item that becomes another",
      () =>
        responses([
          ...["added", "done"].map((end) => item(end, ITEM)),
          item("done", { type: "message", id: "m", role: "assistant", content: [] }),
          response("response.completed", []),
        ]),
    ],
    [
      "a block that becomes another",
      () =>
        messages([
          start([]),
          block(0, BLOCK),
          { type: "content_block_stop", index: 0 },
          block(0, { type: "text", text: "" }),
          ...END,
        ]),
    ],
    [
      "blocks whose order is not that of their indexes",
      () => messages([start([]), block(5, { type: "text", text: "" }), block(0, BLOCK), ...END]),
    ],
    [
      "a message that begins with blocks that are no list",
      () => messages([{ ...start([]), message: { ...start([]).message, content: { 0: BLOCK, length: 1 } } }, ...END]),
    ],
    [
      "a kind of block that is not known",
      () =>
        messages([
          start([]),
          { type: "content_block_start", index: 0, content_block: { ...BLOCK, type: "client_tool_use" } },
          { type: "content_block_stop", index: 0 },
          ...END,
        ]),
    ],
  ])("is not passed on: %s", async (_, seen) => {
    const { text, failed } = await seen();
    expect({ failed, hasCall: text.includes("5000") }).toEqual({ failed: true, hasCall: false });
  });

  it.each([
    ["response.created", {}],
    ["response.failed", {}],
    ["response.created", { output_index: 0 }],
  ])("loses calls that %s shows before they were judged, with %j", async (type, more) => {
    const { text } = await responses([{ ...response(type, [ITEM]), ...more }, response("response.completed", [])]);
    expect(text).toContain(type);
    expect(text).not.toContain("5000");
  });
});

describe("a stream whose end is said in another way", () => {
  it("is complete for readers that stop at `[DONE]`", async () => {
    const paid = { ...ITEM, arguments: '{"n":30}' };
    const events = [item("added", paid), item("done", paid), response("response.completed", [])];
    const text = [response("response.created", []), ...events].map((data) => `data: ${JSON.stringify(data)}\n\n`);
    const fetch = splitFetch(Buffer.from(`${text.join("")}data: [DONE]\n\n`), 7);
    const client = guardOpenAI(await opened(), new OpenAI({ ...bare, fetch }));
    const final = await client.responses.stream({ model: MODEL, input: "go" }).finalResponse();
    expect(final.output).toMatchObject([{ type: "function_call", arguments: '{"n":30}' }]);
  });
});
