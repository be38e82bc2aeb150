import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { guardClient as guardAnthropic } from "../../../src/adapters/anthropic/public.js";
import { guardClient as guardOpenAI } from "../../../src/adapters/openai/public.js";
import { type Random, randomFrom } from "../../support/random.js";
import { opened } from "./pack.js";
import { bytesOf, chatWire, messagesWire, responsesWire, type Wire } from "./wire.js";

const MODEL = "m-2026-01-01";
const bare = { apiKey: "k", logLevel: "off", maxRetries: 0 } as const;
/** More than the pack allows: whoever sees it was given a call that is refused. */
const REFUSED = "5000";
const ARGS = `{"n":${REFUSED}}`;
const DONE = { text: "All done." };
const RUNS = 150;
const SEED = 17;

type Event = Readonly<Record<string, unknown>>;
type Pick = Random["pick"];

const INDEXES = [0, 0, 0, 1, 1, 2, -1, "0", undefined, null, 0.5];

function chatEvent(pick: Pick): Event {
  const call = { index: pick(INDEXES), id: pick(["a", "b", undefined]), type: "function" };
  const called = { name: pick(["pay", "look", undefined]), arguments: pick([ARGS, "", '{"n":', `${REFUSED}}`]) };
  const calls = { tool_calls: [{ ...call, function: called }] };
  const delta = pick<unknown>([
    {},
    { content: "x" },
    calls,
    calls,
    { function_call: called },
    { tool_calls: calls },
    null,
  ]);
  const end = pick([null, null, "tool_calls", "stop", "length", undefined]);
  const message = pick([undefined, undefined, undefined, calls]);
  const choice = { index: pick(INDEXES), delta, finish_reason: end, ...(message === undefined ? {} : { message }) };
  const choices = pick<unknown>([[choice], [choice], [choice], [], [choice, choice], null, choice]);
  const error = pick<unknown>([undefined, undefined, undefined, undefined, false, 0, "", "late"]);
  return { id: "x", model: MODEL, choices, ...(error === undefined ? {} : { error }) };
}

function responseEvent(pick: Pick): Event {
  const call = { id: "fc", call_id: pick(["a", "b"]), name: pick(["pay", "look"]) };
  const type = pick(["function_call", "function_call", "message", "custom_tool_call", "web_search_call", "reasoning"]);
  const args = type === "function_call" || type === "custom_tool_call" ? { arguments: ARGS } : {};
  const item = { type, ...call, ...args, status: pick(["completed", "in_progress"]), content: [] };
  const at = { output_index: pick(INDEXES), item_id: "fc" };
  const output = pick<unknown>([[], [], [item], { 0: item, length: 1 }]);
  const response = { id: "r", object: "response", model: MODEL, status: "completed", output };
  return pick<Event>([
    { type: "response.output_item.added", ...at, item },
    { type: "response.output_item.done", ...at, item },
    { type: "response.output_item.done", ...at, item },
    { type: "response.function_call_arguments.delta", ...at, delta: ARGS },
    { type: "response.function_call_arguments.done", ...at, arguments: ARGS },
    {
      type: pick(["response.created", "response.in_progress", "response.failed", "response.completed"]),
      ...at,
      response,
    },
    { type: pick(["response.completed", "response.incomplete"]), response },
    { type: "response.output_text.delta", ...at, content_index: 0, delta: "x" },
  ]);
}

function messageEvent(pick: Pick): Event {
  const type = pick(["tool_use", "tool_use", "text", "thinking"]);
  const content_block = {
    type,
    id: pick(["a", "b"]),
    name: pick(["pay", "look"]),
    input: type === "tool_use" ? { n: 5000 } : {},
    text: "",
  };
  const index = pick(INDEXES);
  const message = {
    id: "m",
    role: "assistant",
    model: MODEL,
    content: pick<unknown>([[], [], [], [content_block]]),
    usage: {},
  };
  return pick<Event>([
    { type: "message_start", message },
    { type: "content_block_start", index, content_block },
    { type: "content_block_start", index, content_block },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: ARGS },
      ...pick([{}, {}, { content_block }]),
    },
    { type: "content_block_delta", index, delta: { type: "text_delta", text: "x" } },
    { type: "content_block_stop", index },
    { type: "message_delta", delta: { stop_reason: pick(["tool_use", "end_turn"]) }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]);
}

/** Begins as the format does, and goes on at random. */
function events(wire: Wire, make: (pick: Pick) => Event, run: number): Buffer {
  const { pick } = randomFrom(SEED, run);
  const given = bytesOf(wire, { text: "x ", calls: [{ id: "a", tool: "pay", args: ARGS }] }).toString();
  const usual = given.split("\n\n").slice(0, -1);
  const texts = usual.flatMap((text) => {
    const others = Array.from({ length: pick([0, 0, 1, 2]) }, () => make(pick));
    const written = others.map(
      (data) => `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}`,
    );
    return [...written, ...pick([[text], [text], [text], [text, text], []])];
  });
  return Buffer.from(`${texts.join("\n\n")}\n\n`);
}

/** Answers with these bytes first, and with an end of the conversation after that. */
function fetchOf(wire: Wire, first: Buffer): typeof fetch {
  let isFirst = true;
  return async () => {
    const bytes = isFirst ? first : bytesOf(wire, DONE);
    isFirst = false;
    return new Response(new Uint8Array(bytes), { headers: { "content-type": "text/event-stream" } });
  };
}

type Played = (fetch: typeof globalThis.fetch) => Promise<{ seen: unknown; final: unknown }>;

async function all(stream: AsyncIterable<unknown>, final: () => Promise<unknown>) {
  const seen: unknown[] = [];
  try {
    for await (const event of stream) seen.push(event);
  } catch {
    // Most of them cannot be read to their end.
  }
  return { seen, final: await final().catch(() => null) };
}

const messages = [{ role: "user" as const, content: "go" }];

const FORMATS: readonly (readonly [string, Wire, (pick: Pick) => Event, Played])[] = [
  [
    "chat completions",
    chatWire,
    chatEvent,
    async (fetch) => {
      const client = guardOpenAI(await opened(), new OpenAI({ ...bare, fetch }));
      const stream = client.chat.completions.stream({ model: MODEL, messages });
      return all(stream, () => stream.finalChatCompletion());
    },
  ],
  [
    "responses",
    responsesWire,
    responseEvent,
    async (fetch) => {
      const client = guardOpenAI(await opened(), new OpenAI({ ...bare, fetch }));
      const stream = client.responses.stream({ model: MODEL, input: "go" });
      return all(stream, () => stream.finalResponse());
    },
  ],
  [
    "messages",
    messagesWire,
    messageEvent,
    async (fetch) => {
      const client = guardAnthropic(await opened(), new Anthropic({ ...bare, fetch }));
      const stream = client.messages.stream({ model: MODEL, max_tokens: 9, messages });
      return all(stream, () => stream.finalMessage());
    },
  ],
];

describe("a stream of random events", () => {
  it.each(FORMATS)(
    "gives no refused call away, in %s",
    async (_, wire, make, play) => {
      for (let run = 0; run < RUNS; run++) {
        const bytes = events(wire, make, run);
        const { seen, final } = await play(fetchOf(wire, bytes));
        const given = JSON.stringify([seen, final]);
        expect(given.includes(REFUSED), `run ${run} of seed ${SEED}:\n${bytes.toString()}\n${given}`).toBe(false);
      }
    },
    120_000,
  );
});
