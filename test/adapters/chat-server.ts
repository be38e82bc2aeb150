import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A call in a scripted reply; arguments that are a text are sent as they are. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: string | Readonly<Record<string, unknown>>;
}

/** What the model answers to one request. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finish?: string;
  /** An error instead of a reply. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the connection after so many bytes of the stream. */
  readonly cutAfter?: number;
}

/** The part of a request body that tests look at. */
export interface SeenRequest {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_call_id?: string;
  }[];
}

export interface ChatServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
/** Each reply has an id of its own: frameworks take two messages with one id for the same. */
let replies = 0;

function head() {
  replies += 1;
  return { id: `chatcmpl-${replies}`, created: 1_700_000_000, model: "gpt-4o-2024-08-06" };
}

function textOf({ args }: ScriptedCall): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

function finishOf({ finish, calls }: ScriptedReply): string {
  return finish ?? (calls === undefined ? "stop" : "tool_calls");
}

function whole(reply: ScriptedReply): string {
  const calls = reply.calls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: textOf(call) },
  }));
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishOf(reply) }];
  return JSON.stringify({ ...head(), object: "chat.completion", choices, usage: USAGE });
}

/** The events of a stream; texts and arguments come in pieces of three characters. */
function events(reply: ScriptedReply): string {
  const pieces = (text: string) => text.match(/.{1,3}/gs) ?? [];
  const deltas = [
    { role: "assistant" },
    ...pieces(reply.text ?? "").map((content) => ({ content })),
    ...(reply.calls ?? []).flatMap((call, index) => [
      { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] },
      ...pieces(textOf(call)).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ];
  const own = head();
  const chunk = (choice: object, usage?: object) =>
    `data: ${JSON.stringify({ ...own, object: "chat.completion.chunk", choices: choice, ...usage })}\n\n`;
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: finishOf(reply) }]),
    chunk([], { usage: USAGE }),
    "data: [DONE]\n\n",
  ].join("");
}

async function bodyOf(request: IncomingMessage): Promise<SeenRequest> {
  let text = "";
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

/** Writes a text in pieces of a size, each in a packet of its own. */
async function written(response: ServerResponse, text: string, size: number): Promise<void> {
  for (let at = 0; at < text.length; at += size) {
    response.write(text.slice(at, at + size));
    await new Promise((done) => setImmediate(done));
  }
}

async function answer(response: ServerResponse, seen: SeenRequest, reply: ScriptedReply, size: number): Promise<void> {
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify({ error: { message: "scripted", type: "scripted", code: null, param: null } }));
    return;
  }
  if (seen.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(whole(reply));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  await written(response, events(reply).slice(0, reply.cutAfter), size);
  if (reply.cutAfter === undefined) response.end();
  else response.destroy();
}

/** A server of chat completions on the loopback interface, which answers from a script, the last reply again and again. */
export async function chatServer(script: readonly ScriptedReply[], size = 1 << 20): Promise<ChatServer> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const seen = await bodyOf(request);
    const reply = script[Math.min(requests.length, script.length - 1)] ?? {};
    requests.push(seen);
    await answer(response, seen, reply, size);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** What the model read as the results of its calls, by their ids; nothing where there was no such request. */
export function resultsIn(request: SeenRequest | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (request?.messages ?? []).flatMap(({ role, tool_call_id: id, content }) =>
      role === "tool" && id !== undefined
        ? [[id, typeof content === "string" ? content : JSON.stringify(content)]]
        : [],
    ),
  );
}

/** What the model read as the result of a call. */
export function resultOf(request: SeenRequest | undefined, id: string): string {
  return resultsIn(request)[id] ?? "no result";
}
