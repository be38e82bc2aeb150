import { Readable } from "node:stream";
import type { DispatchHandler } from "./dispatch.js";

/** The parts of an `IncomingMessage` that are used; written out, so that these types need no other package. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly complete: boolean;
}

/** The parts of a `ServerResponse` that are used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  once(event: "close", listener: () => void): unknown;
  writeHead(status: number, headers?: Record<string, string>): unknown;
  end(body?: Uint8Array): unknown;
}

/** A listener for `node:http` and frameworks on top of it. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => Promise<void>;

function headersOf({ rawHeaders }: NodeRequest): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

/** A body that some middleware has read already. */
function parsedBody(request: NodeRequest): unknown {
  return "body" in request ? request.body : undefined;
}

function bodyOf(request: NodeRequest): RequestInit {
  if (request.method === "GET" || request.method === "HEAD") return {};
  const parsed = parsedBody(request);
  // Bytes are the body as it came; anything else was parsed.
  if (parsed instanceof Uint8Array) return { body: new Uint8Array(parsed) };
  if (parsed !== undefined) return { body: typeof parsed === "string" ? parsed : JSON.stringify(parsed) };
  const stream = request instanceof Readable ? request : Readable.from(request);
  // The types of the web stream and of fetch differ in name only.
  return { body: Readable.toWeb(stream) as ReadableStream<Uint8Array>, duplex: "half" } as RequestInit;
}

/** Methods that a web-standard request cannot have. They are not dispatches, and neither is GET, which replaces them. */
const FORBIDDEN: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

function requestOf(request: NodeRequest, signal: AbortSignal): Request {
  const { method = "GET" } = request;
  if (FORBIDDEN.has(method.toUpperCase())) {
    return new Request("http://localhost/", { method: "GET", headers: headersOf(request), signal });
  }
  // The path does not matter: the server that mounts the listener has chosen it.
  return new Request("http://localhost/", { method, headers: headersOf(request), signal, ...bodyOf(request) });
}

/** Makes a handler into a listener for `node:http` and frameworks on top of it. */
export function toNodeListener(handler: DispatchHandler): NodeListener {
  return async (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const answer = await handler(requestOf(request, gone.signal));
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = { ...Object.fromEntries(answer.headers), "content-length": String(body.byteLength) };
      // After a request that was not read to its end, its connection cannot be used again.
      response.writeHead(answer.status, request.complete ? headers : { ...headers, connection: "close" });
      response.end(body);
    } catch {
      // No handler should throw; if one does, the connection must not hang.
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  };
}
