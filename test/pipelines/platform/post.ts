import { type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from "node:http";

/** What came of a POST: a whole reply, no reply in time, or a connection that failed. */
export type Posted =
  | { readonly kind: "reply"; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "failure"; readonly code: string };

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** Ends the request early, as a failure. */
  readonly signal: AbortSignal;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}

function openReply(url: string, { headers, body }: PostOptions, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A connection of its own for each request: none is left over when the platform closes.
    const outgoing = openRequest(url, { method: "POST", headers, signal, agent: false }, resolve);
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** Sends exactly these headers and this body, follows no redirect, and never throws for what the other side does. */
export async function post(url: string, options: PostOptions): Promise<Posted> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
  try {
    const reply = await openReply(url, options, AbortSignal.any([deadline.signal, options.signal]));
    const text = await textOf(reply);
    return { kind: "reply", status: reply.statusCode ?? 0, headers: reply.headers, text };
  } catch (cause) {
    return deadline.signal.aborted ? { kind: "timeout" } : { kind: "failure", code: codeOf(cause) };
  } finally {
    clearTimeout(timer);
  }
}
