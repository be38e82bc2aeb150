import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { DispatchHandler } from "./dispatch.js";

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

/** A body that some middleware has read already. */
function parsedBody(request: IncomingMessage): unknown {
  return "body" in request ? request.body : undefined;
}

function bodyOf(request: IncomingMessage): RequestInit {
  if (request.method === "GET" || request.method === "HEAD") return {};
  const parsed = parsedBody(request);
  if (parsed !== undefined) return { body: typeof parsed === "string" ? parsed : JSON.stringify(parsed) };
  // The types of the web stream and of fetch differ in name only.
  return { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" } as RequestInit;
}

function requestOf(request: IncomingMessage, signal: AbortSignal): Request {
  const method = request.method ?? "GET";
  // The path plays no part: whoever mounts the listener has chosen it.
  return new Request("http://localhost/", { method, headers: headersOf(request), signal, ...bodyOf(request) });
}

/** Makes a handler into a listener for `node:http` and whatever builds on it. */
export function toNodeListener(
  handler: DispatchHandler,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const answer = await handler(requestOf(request, gone.signal));
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = { ...Object.fromEntries(answer.headers), "content-length": String(body.byteLength) };
      // A request that was not read to its end leaves nothing that the next one on its connection could start from.
      response.writeHead(answer.status, request.complete ? headers : { ...headers, connection: "close" });
      response.end(body);
    } catch {
      // What no handler should ever do; the connection must not hang for it.
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  };
}
