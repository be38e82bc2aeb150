import type { IncomingMessage, ServerResponse } from "node:http";
import { doorRefusal, tokenOf } from "./admission.js";
import { answerCall } from "./answer-call.js";
import { answerTrace } from "./answer-trace.js";
import { type ProxyBooks, refuse } from "./proxy-books.js";
import { type Received, receive } from "./receive.js";
import { refusal } from "./refusal.js";
import type { OpenRun } from "./run.js";

/** Where the proxy lives on the platform's host. */
export const PROXY_PATH = "/api/odyssey-proxy";

interface Route {
  readonly key: string | undefined;
  readonly channel: string;
  readonly name: string;
}

/** The documents show base addresses with and without the part that names a run. */
const ROUTE = /^(?:\/runs\/(?<key>[^/]+))?\/(?<channel>tools|traces)\/(?<name>[^/]+)$/;

function routeOf(path: string): Route | null {
  if (!path.startsWith(PROXY_PATH)) return null;
  const groups = ROUTE.exec(path.slice(PROXY_PATH.length))?.groups;
  return groups === undefined ? null : { key: groups.key, channel: groups.channel ?? "", name: groups.name ?? "" };
}

function runOf({ runs }: ProxyBooks, { key }: Route, { headers }: Received): OpenRun | undefined {
  const token = tokenOf(headers);
  return runs.find((run) => (key === undefined ? run.runToken === token : run.key === key));
}

function answerStray(books: ProxyBooks, received: Received, response: ServerResponse, isRouted: boolean): void {
  const reason = (isRouted ? doorRefusal(undefined, received) : null) ?? refusal("route_unknown");
  books.strays.push({ ...received, reply: reason.code });
  refuse(books, response, reason);
}

/** Answers one request to the platform as the per-run proxy does: tools, the side channel, nothing else. */
export async function answerProxy(
  books: ProxyBooks,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = await receive(request);
  if (received === null) return;
  const route = routeOf(received.path);
  const run = route === null ? undefined : runOf(books, route, received);
  if (route === null || run === undefined) return answerStray(books, received, response, route !== null);
  if (route.channel === "traces")
    return answerTrace(books, run, { request: { ...received, eventType: route.name }, response });
  return answerCall(books, run, { request: { ...received, tool: route.name }, response });
}
