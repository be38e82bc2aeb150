import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Behaviour, DropMoment, EnvelopeOptions, StatusOptions } from "./behaviour.js";
import { sendJson } from "./send-json.js";

const CHUNK_BYTES = 64 * 1024;

function envelopeOf(tool: string, { source = "odyssey", ...rest }: EnvelopeOptions): Readonly<Record<string, unknown>> {
  return {
    tool_name: rest.toolName ?? tool,
    source,
    latency_ms: rest.latencyMs ?? 1,
    matched_rule_index: rest.matchedRuleIndex ?? null,
    ...(rest.validation === undefined ? {} : { validation: rest.validation }),
  };
}

/** The envelope up to the first character of a response that is text. */
function openedEnvelope(tool: string): string {
  return `${JSON.stringify(envelopeOf(tool, { source: "passthrough" })).slice(0, -1)},"response":"`;
}

function* sizedChunks(tool: string, bytes: number): Generator<Buffer> {
  const head = Buffer.from(openedEnvelope(tool));
  const tail = Buffer.from('"}');
  const filler = bytes - head.length - tail.length;
  if (filler < 0) throw new RangeError(`an envelope has at least ${head.length + tail.length} bytes`);
  yield head;
  for (let left = filler; left > 0; left -= CHUNK_BYTES) yield Buffer.alloc(Math.min(left, CHUNK_BYTES), "x");
  yield tail;
}

async function* endlessChunks(tool: string, everyMs: number, chunkBytes: number): AsyncGenerator<Buffer> {
  yield Buffer.from(openedEnvelope(tool));
  for (;;) {
    await sleep(everyMs);
    yield Buffer.alloc(chunkBytes, "x");
  }
}

/** Streams at the pace of the reader, and stops when the reader leaves. */
function pour(response: ServerResponse, chunks: Iterable<Buffer> | AsyncIterable<Buffer>, length?: number): void {
  const source = Readable.from(chunks, { objectMode: false });
  response.once("close", () => source.destroy());
  response.writeHead(200, {
    "content-type": "application/json",
    ...(length === undefined ? {} : { "content-length": length }),
  });
  source.pipe(response);
}

function retryAfterText(retryAfter: number | Date | string): string {
  return retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
}

function sendStatus(response: ServerResponse, status: number, { body, retryAfter }: StatusOptions): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfterText(retryAfter));
  const isText = body === undefined || typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" });
  response.end(isText ? body : JSON.stringify(body));
}

function loseConnection(response: ServerResponse, moment: DropMoment): void {
  if (moment !== "before_reply") {
    const body = Buffer.from(`${openedEnvelope("dropped")}half of it"}`);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.flushHeaders();
    if (moment === "mid_body") response.write(body.subarray(0, body.length / 2));
  }
  // What was written goes out first, so that the reader sees exactly this much.
  response.socket?.destroySoon();
}

/** Waits, unless the reader leaves before; returns whether it is still there. */
function staysFor(response: ServerResponse, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(!response.destroyed), ms);
    response.once("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** Answers one call of a tool as the behaviour says. */
export async function play(behaviour: Behaviour, tool: string, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  switch (behaviour.kind) {
    case "respond":
      return sendJson(response, 200, { ...envelopeOf(tool, behaviour.envelope), response: behaviour.response });
    case "status":
      return sendStatus(response, behaviour.status, behaviour);
    case "slow":
      if (await staysFor(response, behaviour.ms)) await play(behaviour.next, tool, response);
      return;
    case "hang":
      return;
    case "drop":
      return loseConnection(response, behaviour.moment);
    case "oversized":
      return pour(response, sizedChunks(tool, behaviour.bytes), behaviour.hasLength ? behaviour.bytes : undefined);
    case "raw":
      response.writeHead(200, { "content-type": behaviour.contentType });
      response.end(behaviour.text);
      return;
    case "endless":
      return pour(response, endlessChunks(tool, behaviour.everyMs, behaviour.chunkBytes));
    default:
      throw new Error(`no such behaviour: ${JSON.stringify(behaviour satisfies never)}`);
  }
}
