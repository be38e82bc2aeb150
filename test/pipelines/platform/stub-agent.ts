import { createServer, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback.js";
import { type Received, receive } from "./receive.js";
import { sendJson } from "./send-json.js";

/** What a stub agent does with a request. */
export type AgentReply = (response: ServerResponse, request: Received) => void;

/** An agent endpoint that does what a test wants, to see what the dispatcher sends and how it grades. */
export interface StubAgent {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Replies with this status and JSON. */
export function replyJson(body: unknown, status = 200): AgentReply {
  return (response) => sendJson(response, status, body);
}

/** Starts an agent endpoint on a free port of this machine. */
export async function startStubAgent(reply: AgentReply): Promise<StubAgent> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const whole = await receive(request);
    if (whole === null) return;
    received.push(whole);
    reply(response, whole);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/run`;
  return {
    url,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
