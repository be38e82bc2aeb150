import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { readProperty } from "./read-property.js";

/** A request to post. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The head of a reply. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** How much of a body to read, and how long to wait for it; undefined waits until the signal aborts. */
export interface Wanted {
  readonly bytes: number;
  readonly withinMs?: number;
}

export interface PostReply extends ReplyHead {
  /** Null if the body is larger than wanted, or did not arrive in time; then its connection is closed. */
  readonly bytes: Uint8Array | null;
}

/** A request without a reply: a code of the network, and whether anything may have been sent. */
export class PostFailure extends Error {
  constructor(
    readonly code: string,
    readonly sent: boolean,
  ) {
    super(code);
    this.name = "PostFailure";
  }
}

/** Codes of sockets, TLS and HTTP parsers; any other code could be mistaken for an answer of the tool. */
const NETWORK_CODE = /^(?:E[A-Z0-9]{3,}|EAI_\w+|(?:HPE|ERR|CERT|DEPTH|UNABLE|SELF)_\w+)$/;

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/** One running request. */
class Exchange {
  /** Nothing is sent before there is a connection, and with TLS before it is trusted. */
  private sent = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly request;

  constructor(
    private readonly post: Post,
    private readonly wanted: (head: ReplyHead) => Wanted,
    private readonly resolve: (reply: PostReply) => void,
    private readonly reject: (failure: PostFailure) => void,
  ) {
    const { url, headers, body, signal } = post;
    const isSecure = url.startsWith("https:");
    this.request = (isSecure ? httpsRequest : httpRequest)(url, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent: isSecure ? httpsAgent : httpAgent,
    });
    this.request.once("socket", (socket) => {
      if (!socket.connecting) this.sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", this.connected);
    });
    this.request.once("response", (message) => this.receive(message));
    // No upgrade was requested; without a listener the connection would just close.
    this.request.once("upgrade", ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy();
      this.close();
      this.resolve({ status, headers, bytes: new Uint8Array() });
    });
    // Never removed: a connection may fail again after its request has ended.
    this.request.on("error", this.fail);
    signal.addEventListener("abort", this.abort, { once: true });
    this.request.end(body);
  }

  private readonly connected = (): void => {
    this.sent = true;
  };

  private readonly abort = (): void => {
    this.request.destroy();
    this.fail(this.post.signal.reason);
  };

  private readonly fail = (cause: unknown): void => {
    this.close();
    const code = readProperty(cause, "code");
    this.reject(new PostFailure(typeof code === "string" && NETWORK_CODE.test(code) ? code : "ERR_FAILED", this.sent));
  };

  private close(): void {
    clearTimeout(this.timer);
    this.post.signal.removeEventListener("abort", this.abort);
  }

  private receive(message: IncomingMessage): void {
    const { statusCode: status = 0, headers } = message;
    const { bytes: most, withinMs } = this.wanted({ status, headers });
    const parts: Buffer[] = [];
    let size = 0;
    const finish = (bytes: Uint8Array | null) => {
      this.close();
      if (bytes === null) message.destroy();
      this.resolve({ status, headers, bytes });
    };
    if (most <= 0 || Number(headers["content-length"] ?? 0) > most) {
      finish(null);
      return;
    }
    if (withinMs !== undefined) this.timer = setTimeout(() => finish(null), withinMs);
    message.on("data", (part: Buffer) => {
      size += part.byteLength;
      if (size > most) finish(null);
      else parts.push(part);
    });
    message.once("end", () => finish(Buffer.concat(parts, size)));
    message.once("error", this.fail);
  }
}

/**
 * Posts a body and reads the wanted part of the reply. Redirects are not followed: they would send the body, and perhaps a token,
 * to an address that was not configured. Rejects with a `PostFailure`, also if the signal aborts.
 */
export function post(request: Post, wanted: (head: ReplyHead) => Wanted): Promise<PostReply> {
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) reject(new PostFailure("ERR_ABORTED", false));
    else new Exchange(request, wanted, resolve, reject);
  });
}
