import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { readProperty } from "./read-property.js";

/** What is posted, and where to. */
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

/** How much of a body is wanted, and how long it is worth waiting for; undefined waits as long as the signal does. */
export interface Wanted {
  readonly bytes: number;
  readonly withinMs?: number;
}

export interface PostReply extends ReplyHead {
  /** Null where the body is larger than was wanted, or did not arrive in time; its connection is closed then. */
  readonly bytes: Uint8Array | null;
}

/** A request without a reply: a code of the network, and whether anything may have gone out. */
export class PostFailure extends Error {
  constructor(
    readonly code: string,
    readonly sent: boolean,
  ) {
    super(code);
    this.name = "PostFailure";
  }
}

/** Codes of sockets, TLS and HTTP parsers; a code of another kind could pass for an answer of the tool. */
const NETWORK_CODE = /^(?:E[A-Z0-9]{3,}|EAI_\w+|(?:HPE|ERR|CERT|DEPTH|UNABLE|SELF)_\w+)$/;

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/** One request under way. */
class Exchange {
  /** Nothing goes out before there is a connection, and with TLS before it is trusted. */
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
    // Nobody asked for another protocol; without a listener the connection would close without a word.
    this.request.once("upgrade", ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy();
      this.close();
      this.resolve({ status, headers, bytes: new Uint8Array() });
    });
    // Stays for good: a connection may fail once more after its request is done with.
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
 * Posts a body and reads of the reply what is wanted of it. Redirects are not followed: they would carry the body, and
 * perhaps a token, to a place that nobody named. Rejects with a `PostFailure`, also where the signal aborts.
 */
export function post(request: Post, wanted: (head: ReplyHead) => Wanted): Promise<PostReply> {
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) reject(new PostFailure("ERR_ABORTED", false));
    else new Exchange(request, wanted, resolve, reject);
  });
}
