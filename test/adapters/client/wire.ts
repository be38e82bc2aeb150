import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A reply of the scripted model. */
export interface Turn {
  readonly id?: string;
  readonly text?: string;
  /** A text instead of an object is what the model wrote, perhaps no JSON. */
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly args: object | string }[];
  /** An error of the server instead of a reply. */
  readonly status?: number;
  /** The connection breaks after so many bytes; a negative number counts from the end. */
  readonly cutAfter?: number;
  /** Items or blocks of the provider's making, in its own form, before the calls. */
  readonly items?: readonly object[];
}

/** How a provider writes a reply. */
export interface Wire {
  json(turn: Turn): object;
  /** The events of a stream. */
  events(turn: Turn): readonly { readonly name?: string; readonly data: object | string }[];
}

/** A request as it came to the server. */
export interface Received {
  readonly path: string;
  readonly retry: string;
  readonly body: Record<string, unknown>;
}

/** The bytes of a stream. */
export function bytesOf(wire: Wire, turn: Turn): Buffer {
  const texts = wire.events(turn).map(({ name, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return Buffer.from(texts.join(""));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  return text === "" ? {} : JSON.parse(text);
}

async function writeStream(response: ServerResponse, bytes: Buffer, { cutAfter }: Turn, pieceBytes: number) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const sent = bytes.subarray(0, cutAfter);
  for (let at = 0; at < sent.length; at += pieceBytes) {
    response.write(sent.subarray(at, at + pieceBytes));
    if (pieceBytes < 100) await new Promise((resolve) => setImmediate(resolve));
  }
  if (cutAfter === undefined) response.end();
  else setTimeout(() => response.destroy(), 5);
}

/** A server that plays a script in a provider's wire format; after its last turn it repeats that one. */
export async function wireServer(wire: Wire, turns: readonly Turn[], pieceBytes = 1 << 20) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const turn = turns[Math.min(received.length, turns.length - 1)] ?? {};
    received.push({ path: request.url ?? "", retry: String(request.headers["x-stainless-retry-count"]), body });
    if (turn.status !== undefined) {
      const headers = { "content-type": "application/json", "retry-after-ms": "1" };
      response.writeHead(turn.status, headers).end(JSON.stringify({ error: { message: "later", type: "later" } }));
      return;
    }
    if (body.stream === true) return writeStream(response, bytesOf(wire, turn), turn, pieceBytes);
    const text = JSON.stringify(wire.json(turn));
    response.writeHead(200, { "content-type": "application/json" });
    if (turn.cutAfter === undefined) response.end(text);
    else {
      response.write(text.slice(0, turn.cutAfter));
      setTimeout(() => response.destroy(), 5);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, close };
}

/** Answers without a network: the bytes of a stream in two pieces, the second from `at` on. */
export function splitFetch(bytes: Buffer, at: number): typeof fetch {
  return async () => {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    const body = new ReadableStream({
      pull(controller) {
        const next = pieces.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function argumentsOf(args: object | string): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

const HEAD = { id: "chatcmpl-1", created: 1, model: "m-2026-01-01" };
const USAGE = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

/** Chat completions. */
export const chatWire: Wire = {
  json({ text = null, calls = [] }) {
    const tool_calls = calls.map(({ id, tool, args }) => ({
      id,
      type: "function",
      function: { name: tool, arguments: argumentsOf(args) },
    }));
    const message = { role: "assistant", content: text, refusal: null, ...(calls.length > 0 ? { tool_calls } : {}) };
    const choice = { index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop", logprobs: null };
    return { ...HEAD, object: "chat.completion", choices: [choice], usage: USAGE };
  },
  events({ text = "", calls = [] }) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...HEAD, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
    });
    const words = text === "" ? [] : text.split(/(?<= )/);
    return [
      chunk({ role: "assistant", content: "" }),
      ...words.map((content) => chunk({ content })),
      ...calls.flatMap(({ id, tool, args }, index) => {
        const written = argumentsOf(args);
        const half = written.length >> 1;
        const first = { index, id, type: "function", function: { name: tool, arguments: "" } };
        const rest = [written.slice(0, half), written.slice(half)].map((piece) => ({
          index,
          function: { arguments: piece },
        }));
        return [first, ...rest].map((call) => chunk({ tool_calls: [call] }));
      }),
      chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
      { data: { ...HEAD, object: "chat.completion.chunk", choices: [], usage: USAGE } },
      { data: "[DONE]" },
    ];
  },
};

let responses = 0;

function outputOf({ text, calls = [], items = [] }: Turn): readonly Record<string, unknown>[] {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
  const called = calls.map(({ id, tool, args }, index) => ({
    id: `fc_${index}`,
    type: "function_call",
    status: "completed",
    call_id: id,
    name: tool,
    arguments: argumentsOf(args),
  }));
  return [...items.map((item) => ({ ...item })), ...(text === undefined ? [] : [message]), ...called];
}

function responseOf(status: string, output: readonly object[]) {
  const usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
  const base = { id: `resp_${responses}`, object: "response", created_at: 1, model: HEAD.model, error: null };
  return {
    ...base,
    status,
    output,
    parallel_tool_calls: true,
    tools: [],
    usage: status === "completed" ? usage : null,
  };
}

/** The responses API. */
export const responsesWire: Wire = {
  json(turn) {
    responses += 1;
    return responseOf("completed", outputOf(turn));
  },
  events(turn) {
    responses += 1;
    const items = outputOf(turn);
    const events: Record<string, unknown>[] = [
      { type: "response.created", response: responseOf("in_progress", []) },
      { type: "response.in_progress", response: responseOf("in_progress", []) },
    ];
    items.forEach((item, output_index) => {
      const at = { output_index, item_id: item.id };
      const isCall = item.type === "function_call";
      const begun = isCall ? { ...item, arguments: "", status: "in_progress" } : { ...item, content: [] };
      events.push({
        type: "response.output_item.added",
        output_index,
        item: item.type === "message" || isCall ? begun : item,
      });
      if (isCall) {
        const text = String(item.arguments);
        const half = text.length >> 1;
        for (const delta of [text.slice(0, half), text.slice(half)]) {
          events.push({ type: "response.function_call_arguments.delta", ...at, delta });
        }
        events.push({ type: "response.function_call_arguments.done", ...at, arguments: text });
      } else if (item.type === "message") {
        const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
        events.push({ type: "response.content_part.added", ...at, content_index: 0, part });
        for (const delta of (turn.text ?? "").split(/(?<= )/)) {
          events.push({ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] });
        }
        events.push({ type: "response.output_text.done", ...at, content_index: 0, text: turn.text, logprobs: [] });
        events.push({
          type: "response.content_part.done",
          ...at,
          content_index: 0,
          part: { ...part, text: turn.text },
        });
      }
      events.push({ type: "response.output_item.done", output_index, item });
    });
    events.push({ type: "response.completed", response: responseOf("completed", items) });
    return events.map((data, sequence_number) => ({ name: String(data.type), data: { ...data, sequence_number } }));
  },
};

function blocksOf({ text, calls = [], items = [] }: Turn): readonly Record<string, unknown>[] {
  const called = calls.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args }));
  return [...items.map((item) => ({ ...item })), ...(text === undefined ? [] : [{ type: "text", text }]), ...called];
}

const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m-20260101" };

/** The messages API. */
export const messagesWire: Wire = {
  json(turn) {
    const stop_reason = (turn.calls ?? []).length > 0 ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1000, output_tokens: 100 };
    return { ...MESSAGE, id: turn.id ?? MESSAGE.id, content: blocksOf(turn), stop_reason, stop_sequence: null, usage };
  },
  events(turn) {
    const stop_reason = (turn.calls ?? []).length > 0 ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1000, output_tokens: 1 };
    const message = {
      ...MESSAGE,
      id: turn.id ?? MESSAGE.id,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    const events: Record<string, unknown>[] = [{ type: "message_start", message }, { type: "ping" }];
    blocksOf(turn).forEach((block, index) => {
      const isCall = block.type === "tool_use";
      const empty = isCall ? { ...block, input: {} } : block.type === "text" ? { type: "text", text: "" } : block;
      events.push({ type: "content_block_start", index, content_block: empty });
      if (block.type === "text") {
        for (const text of String(block.text).split(/(?<= )/)) {
          events.push({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
        }
      }
      if (isCall) {
        const text = argumentsOf(block.input as object | string);
        const half = text.length >> 1;
        for (const partial_json of ["", text.slice(0, half), text.slice(half)]) {
          events.push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
        }
      }
      events.push({ type: "content_block_stop", index });
    });
    events.push({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 100 } });
    events.push({ type: "message_stop" });
    return events.map((data) => ({ name: String(data.type), data }));
  },
};
