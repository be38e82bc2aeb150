import type { OpenAI } from "openai";
import type { Guard } from "../../guard/guard-api.js";
import type { ClientOptions } from "../client/client-options.js";
import { Conversation } from "../client/conversation.js";
import type { Dialect } from "../client/dialect.js";
import { Exchange } from "../client/exchange.js";
import { guardedCopies, isHidden } from "../client/guarded-copies.js";
import { refusedResponse, unjudged } from "../client/refused-request.js";
import { chat } from "./chat.js";
import { responses } from "./responses.js";

type Fetch = typeof globalThis.fetch;

/** What has no calls of tools in it. */
const FREE =
  /^\/(?:embeddings|files|images|audio|moderations|uploads|vector_stores|containers|fine_tuning)(?:\/|$)|^\/responses\/input_tokens$/;
/** Where models are listed. Servers that are compatible have them reply there too, to requests of another method. */
const MODELS = /^\/models(?:\/|$)/;
/** Where the SDK gets its credentials. */
const TOKEN_EXCHANGE = "https://auth.openai.com/oauth/token";
/** A client can be given another address, below which are replies of models: one such as `/models/NAME/v1` is no path of `FREE`. */
const OF_REPLIES =
  /\/(?:chat|completions|messages|responses(?!\/input_tokens$)|conversations|threads|assistants|batches)(?:\/|$)/i;

/** The path of a request below the address of the API; that of a deployment stands for the API. */
function pathOf(url: string, base: string): string {
  const path = new URL(url).pathname;
  const root = new URL(base).pathname.replace(/\/$/, "");
  return (path.startsWith(`${root}/`) ? path.slice(root.length) : path).replace(/^\/deployments\/[^/]+/, "");
}

/** The same with the latest answer, because most requests of a session go to one address: reading it takes 5 µs. */
function pathsBelow(base: () => string): (url: string) => string {
  let latest = { url: "", base: "", path: "" };
  return (url) => {
    const root = base();
    if (latest.url !== url || latest.base !== root) latest = { url, base: root, path: pathOf(url, root) };
    return latest.path;
  };
}

function dialectOf(method: string, path: string): Dialect | "free" | null {
  if (method === "POST" && path === "/chat/completions") return chat;
  if (method === "POST" && path === "/responses") return responses;
  if (method === "DELETE") return "free";
  const isFree = FREE.test(path) || (method === "GET" && MODELS.test(path));
  return isFree && !OF_REPLIES.test(path) && !isHidden(path) ? "free" : null;
}

/**
 * The same client for one session: requests to chat completions and responses are steps of the guard, and their replies are judged
 * before the application gets them.
 */
export function guardClient<C extends OpenAI>(guard: Guard, client: C, options: ClientOptions = {}): C {
  return guarded(client, { guard, conversation: new Conversation(guard), options });
}

/** What copies of a client for Azure lose in the SDK. */
function optionsOfAzure(client: OpenAI): object {
  const names = { apiVersion: "apiVersion", deployment: "deploymentName" };
  const known = Object.entries(names).map(([option, member]) => [option, Reflect.get(client, member)] as const);
  return Object.fromEntries(known.filter(([, value]) => typeof value === "string"));
}

/** What the copies of a client share. */
interface Session {
  readonly guard: Guard;
  readonly conversation: Conversation;
  readonly options: ClientOptions;
}

function guarded<C extends OpenAI>(client: C, session: Session): C {
  const { guard, conversation, options } = session;
  // The SDK has no other way to what it sends with.
  const given: unknown = Reflect.get(client, "fetch");
  const send = typeof given === "function" ? (given as Fetch) : globalThis.fetch;
  const pathAt = pathsBelow(() => own.baseURL);
  const fetch: Fetch = async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const path = pathAt(url);
    if (url === TOKEN_EXCHANGE) return send(input, init);
    const dialect = dialectOf(init.method ?? "GET", path);
    if (dialect === "free") return send(input, init);
    const { body } = init;
    if (dialect === null || typeof body !== "string") return refusedResponse(unjudged(path));
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    return new Exchange(guard, dialect, conversation, options, {
      body,
      isRetry: Number(headers.get("x-stainless-retry-count") ?? 0) > 0,
      signal: init.signal ?? new AbortController().signal,
      send: (text) => send(input, { ...init, body: text }),
    }).run();
  };
  const azure = optionsOfAzure(client);
  const own = client.withOptions({ ...azure, fetch });
  return guardedCopies(own, { ...azure, fetch: send }, (copy) => guarded(copy, session));
}
