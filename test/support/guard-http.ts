import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";

/** How a tool answers one request. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A tool server on this machine that gives its answers one after the other, the last one again and again. */
export interface ToolServer {
  readonly call: ProxyCall;
  /** The bodies it was sent, in order. */
  readonly received: readonly unknown[];
  close(): Promise<void>;
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Calls over HTTP, and throws what is no success, with its status and headers. */
function caller(url: () => string): ProxyCall {
  return async (tool, args, options) => {
    const init = { method: "POST", body: JSON.stringify(args), ...(options?.signal ? { signal: options.signal } : {}) };
    const response = await fetch(`${url()}/${tool}`, init);
    if (response.ok) return response.json();
    const { status, headers } = response;
    throw Object.assign(new Error(`answered ${status}`), { status, headers: Object.fromEntries(headers) });
  };
}

export async function startServer(...answers: readonly Answer[]): Promise<ToolServer> {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push(JSON.parse(Buffer.concat(parts).toString("utf8")));
      answer?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    call: caller(() => `http://127.0.0.1:${port}`),
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
