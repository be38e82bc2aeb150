import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { guardClient } from "../../../src/adapters/openai/public.js";
import { counted, opened, pay } from "../client/pack.js";
import { bytesOf, chatWire, responsesWire, splitFetch, type Turn } from "../client/wire.js";
import { MODEL } from "./harness.js";

const TURN: Turn = { text: "Zahlung läuft … ", calls: [pay("a", 30), pay("b", 40)] };

/** What an application saw of a stream until it ended, or broke. */
interface Seen {
  text: string;
  readonly calls: string[];
  isBroken: boolean;
}

type Read = (client: OpenAI, seen: Seen) => Promise<void>;

const chat: Read = async (client, seen) => {
  for await (const { choices } of await client.chat.completions.create({ model: MODEL, messages: [], stream: true })) {
    const delta = choices[0]?.delta;
    seen.text += delta?.content ?? "";
    for (const call of delta?.tool_calls ?? []) seen.calls.push(`${call.id} ${call.function?.arguments}`);
  }
};

const responses: Read = async (client, seen) => {
  for await (const event of await client.responses.create({ model: MODEL, input: "go", stream: true })) {
    if (event.type === "response.output_text.delta") seen.text += event.delta;
    if (event.type !== "response.output_item.done" || event.item.type !== "function_call") continue;
    seen.calls.push(`${event.item.call_id} ${event.item.arguments}`);
  }
};

/** Reads bytes that come in two pieces: what was seen, and what the guard counts as paid. */
async function played(read: Read, bytes: Buffer, at: number) {
  const guard = await opened();
  const bare = new OpenAI({ apiKey: "k", fetch: splitFetch(bytes, at), logLevel: "off", maxRetries: 0 });
  const seen: Seen = { text: "", calls: [], isBroken: false };
  await read(guardClient(guard, bare), seen).catch(() => {
    seen.isBroken = true;
  });
  return { ...seen, paid: counted(guard).paid };
}

/** Few enough places for every test run; every place is tried where bytes become events. */
const STEP = 29;

describe.each([
  ["chat completions", chatWire, chat],
  ["responses", responsesWire, responses],
] as const)("a stream of %s", (_, wire, read) => {
  const bytes = bytesOf(wire, TURN);

  it("means the same wherever its bytes are split", async () => {
    for (let at = 0; at <= bytes.length; at += STEP) {
      const calls = ['a {"n":30}', 'b {"n":40}'];
      expect(await played(read, bytes, at)).toEqual({ text: TURN.text, calls, isBroken: false, paid: 70 });
    }
  });

  it("gives no call away, and reserves none, wherever it ends too early", async () => {
    const seen = { early: 0, complete: 0 };
    for (let length = 0; length < bytes.length; length += STEP) {
      const { calls, paid, isBroken } = await played(read, bytes.subarray(0, length), 0);
      // What is missing at the very end is not needed.
      const isComplete = calls.length === 2;
      expect({ calls: calls.length, paid }).toEqual(isComplete ? { calls: 2, paid: 70 } : { calls: 0, paid: 0 });
      if (!isComplete && length > bytes.indexOf('"pay"')) expect(isBroken).toBe(true);
      seen[isComplete ? "complete" : "early"] += 1;
    }
    expect(seen.early).toBeGreaterThan(seen.complete);
  });
});

/** The events of a stream as they are given. */
function scripted(...events: readonly object[]): typeof fetch {
  const text = events.map((data) => `data: ${JSON.stringify(data)}\r\n\r\n`).join("");
  return splitFetch(Buffer.from(text), 7);
}

describe("a stream of an odd server", () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "x",
    object: "chat.completion.chunk",
    model: MODEL,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = (piece: object) => chunk({ tool_calls: [{ index: 0, ...piece }] });

  it("passes a call in one piece that every reader takes for what was judged", async () => {
    const events = [
      call({ id: "a", function: { name: "look", arguments: '{"n":' } }),
      // A reader that joins names would call another tool than one that replaces them.
      call({ function: { name: "pay", arguments: "3" } }),
      call({ id: "b", function: { arguments: "0}" } }),
      chunk({}, "tool_calls"),
    ];
    const guard = await opened();
    const client = guardClient(guard, new OpenAI({ apiKey: "k", fetch: scripted(...events) }));
    const pieces: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({
      model: MODEL,
      messages: [],
      stream: true,
    })) {
      pieces.push(...(choices[0]?.delta.tool_calls ?? []));
    }
    expect(pieces).toEqual([{ index: 0, id: "b", type: "function", function: { name: "pay", arguments: '{"n":30}' } }]);
    expect(guard.unsettled()).toMatchObject([{ tool: "pay", key: "b" }]);
  });

  it("lets text flow on while a call is not complete, and the text beside a call with it", async () => {
    const events = [
      call({ id: "a", function: { name: "pay", arguments: '{"n":30' } }),
      chunk({ content: "one " }),
      chunk({ content: "two", tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
      chunk({}, "tool_calls"),
    ];
    const client = guardClient(await opened(), new OpenAI({ apiKey: "k", fetch: scripted(...events) }));
    const order: string[] = [];
    for await (const { choices } of await client.chat.completions.create({
      model: MODEL,
      messages: [],
      stream: true,
    })) {
      const delta = choices[0]?.delta;
      order.push(...(delta?.tool_calls ? ["call"] : []), ...(delta?.content ? [delta.content] : []));
    }
    expect(order).toEqual(["one ", "call", "two"]);
  });

  it("does not ask for the usage on behalf of the application", async () => {
    const turn = { ...TURN, calls: [] };
    const guard = await opened();
    const options = { prices: { m: { input: 100, output: 1000 } } };
    const bare = new OpenAI({ apiKey: "k", fetch: splitFetch(bytesOf(chatWire, turn), 100) });
    let empty = 0;
    const client = guardClient(guard, bare, options);
    for await (const { choices } of await client.chat.completions.create({
      model: MODEL,
      messages: [],
      stream: true,
    })) {
      if (choices.length === 0) empty += 1;
    }
    expect(empty).toBe(0);
    expect(guard.state().cost).toBeCloseTo(0.2);
  });

  it("passes calls that it cannot read as they are where the guard only watches", async () => {
    const custom = (piece: object) => chunk({ tool_calls: [{ index: 0, type: "custom", custom: piece }] });
    const events = [custom({ name: "shell", input: "l" }), custom({ input: "s" }), chunk({}, "tool_calls")];
    const guard = await opened({ mode: "shadow" });
    const client = guardClient(guard, new OpenAI({ apiKey: "k", fetch: scripted(...events) }));
    const pieces: unknown[] = [];
    for await (const { choices } of await client.chat.completions.create({
      model: MODEL,
      messages: [],
      stream: true,
    })) {
      pieces.push(...(choices[0]?.delta.tool_calls ?? []).map((call) => Reflect.get(call, "custom")));
    }
    expect(pieces).toEqual([{ name: "shell", input: "l" }, { input: "s" }]);
  });

  it("takes the items of a response from their own events, not from its end", async () => {
    const item = {
      id: "fc",
      type: "function_call",
      status: "completed",
      call_id: "a",
      name: "pay",
      arguments: '{"n":1}',
    };
    const other = { ...item, arguments: '{"n":60}' };
    const response = { id: "r", object: "response", status: "completed", model: MODEL, output: [other] };
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc", delta: '{"n":59}' },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
    const client = guardClient(await opened(), new OpenAI({ apiKey: "k", fetch: scripted(...events) }));
    const seen: unknown[] = [];
    for await (const event of await client.responses.create({ model: MODEL, input: "go", stream: true })) {
      if (event.type === "response.function_call_arguments.delta") seen.push(event.delta);
      if (event.type === "response.completed") seen.push(event.response.output);
    }
    expect(seen).toEqual(['{"n":1}', [item]]);
  });
});
