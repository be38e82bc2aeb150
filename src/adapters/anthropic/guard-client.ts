import type { Anthropic } from "@anthropic-ai/sdk";
import type { Guard } from "../../guard/guard-api.js";
import type { ClientOptions } from "../client/client-options.js";
import { Conversation } from "../client/conversation.js";
import { Exchange } from "../client/exchange.js";
import { guardedCopies, isHidden } from "../client/guarded-copies.js";
import { refusedResponse, unjudged } from "../client/refused-request.js";
import { messages } from "./messages.js";

type Middleware = Anthropic["middleware"][number];

/** What has no calls of tools in it. */
const FREE = /^\/v1\/(?:messages\/count_tokens|files)(?:\/|$)/;
/** Where models are listed; other methods may ask them for a reply. */
const MODELS = /^\/v1\/models(?:\/|$)/;
/** The address of a client may be one such as `/v1/models/NAME`, which is no path of `FREE`. */
const OF_REPLIES = /\/(?:messages(?!\/count_tokens$)|complete|agents|sessions|threads)(?:\/|$)/i;

function isFree(method: string, pathname: string, base: string): boolean {
  const root = new URL(base).pathname.replace(/\/$/, "");
  const path = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
  if (OF_REPLIES.test(path) || isHidden(path)) return false;
  return FREE.test(path) || (method === "GET" && MODELS.test(path));
}

/**
 * The same client for one session: requests to messages are steps of the guard, and their replies are judged before the application
 * gets them.
 */
export function guardClient<C extends Anthropic>(guard: Guard, client: C, options: ClientOptions = {}): C {
  return guarded(client, { guard, conversation: new Conversation(guard), options });
}

/** What the copies of a client share. */
interface Session {
  readonly guard: Guard;
  readonly conversation: Conversation;
  readonly options: ClientOptions;
}

function guarded<C extends Anthropic>(client: C, session: Session): C {
  const { guard, conversation, options } = session;
  const middleware: Middleware = async (request, next, ctx) => {
    const { pathname } = new URL(request.url);
    // A request without options asks for credentials.
    const isWithoutReply = ctx.options === undefined || request.method === "DELETE";
    if (isWithoutReply || isFree(request.method ?? "GET", pathname, own.baseURL)) return next(request);
    const { body } = request;
    const isMessage = request.method === "POST" && pathname.endsWith("/v1/messages");
    if (!isMessage || typeof body !== "string") return refusedResponse(unjudged(pathname));
    return new Exchange(guard, messages, conversation, options, {
      body,
      isRetry: Number(request.headers.get("x-stainless-retry-count") ?? 0) > 0,
      signal: request.signal ?? new AbortController().signal,
      send: (text) => next({ ...request, body: text }),
    }).run();
  };
  // The last one is the nearest to the network: it judges what the others have made of a request.
  const own = client.withOptions({ middleware: [...client.middleware, middleware] });
  return guardedCopies(own, { middleware: client.middleware }, (copy) => guarded(copy, session));
}
