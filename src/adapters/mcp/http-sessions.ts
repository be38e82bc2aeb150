import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Guard } from "../../guard/guard-api.js";
import { clientServer, type Shared } from "./client-server.js";

/** Which session a request belongs to: by its header or its credential, never by what the protocol calls a session. */
export type HandleOf = (request: Request, authInfo: AuthInfo | undefined) => string | null | Promise<string | null>;

/** The guard of a session. */
export type GuardOf = (handle: string) => Guard | Promise<Guard>;

/** What of a request the caller has checked already. */
export interface FetchOptions {
  readonly authInfo?: AuthInfo;
}

/** A session is not forgotten while it is served: without a store its limits would begin anew. */
const MOST_SESSIONS = 10_000;
/** Connections of the older protocol in one session: most clients do not say that they end one. */
const MOST_CONNECTIONS = 100;
const HEADER = "contract-session";

/** The session that a request names in its header. */
export const handleInHeader: HandleOf = (request) => request.headers.get(HEADER);

function refused(status: number, message: string): Response {
  const error = { code: -32_600, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status });
}

/** The clients of one session that talk over HTTP. */
class HttpSession {
  private readonly modern: McpHttpHandler;
  /** By the id that the older protocol gives a connection. */
  private readonly connections = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(
    private readonly shared: Shared,
    private readonly guard: Guard,
  ) {
    this.modern = createMcpHandler(() => clientServer(shared, guard, "modern"), { legacy: "reject" });
  }

  async fetch(request: Request, options: FetchOptions): Promise<Response> {
    if (!(await isLegacyRequest(request))) return this.modern.fetch(request, options);
    const id = request.headers.get("mcp-session-id");
    const connection = id === null ? await this.connected() : this.connections.get(id);
    // A client has to begin anew then, as the protocol says.
    if (connection === undefined) return refused(404, "there is no such connection");
    if (id !== null) this.used(id, connection);
    return connection.handleRequest(request, options);
  }

  async close(): Promise<void> {
    await this.modern.close();
    await Promise.allSettled([...this.connections.values()].map((each) => each.close()));
  }

  /** The connection that was used last is the last one; the first one is given up where there are too many. */
  private used(id: string, connection: WebStandardStreamableHTTPServerTransport): void {
    this.connections.delete(id);
    this.connections.set(id, connection);
    const [oldest] = this.connections;
    if (this.connections.size <= MOST_CONNECTIONS || oldest === undefined) return;
    this.connections.delete(oldest[0]);
    oldest[1].close().catch(() => undefined);
  }

  private async connected(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.used(id, transport);
      },
      onsessionclosed: (id) => {
        this.connections.delete(id);
      },
    });
    await clientServer(this.shared, this.guard, "legacy").connect(transport);
    return transport;
  }
}

/** The sessions that are served over HTTP. */
export class HttpSessions {
  private readonly sessions = new Map<string, Promise<HttpSession>>();

  constructor(
    private readonly shared: Shared,
    private readonly of: { readonly guard: GuardOf; readonly handle: HandleOf },
  ) {}

  async fetch(request: Request, options: FetchOptions = {}): Promise<Response> {
    const handle = await this.of.handle(request, options.authInfo);
    if (handle === null || handle === "") return refused(401, `name the session in the header \`${HEADER}\``);
    const known = this.sessions.get(handle);
    if (known === undefined && this.sessions.size >= MOST_SESSIONS) return refused(503, "too many sessions are open");
    return (await (known ?? this.opened(handle))).fetch(request, options);
  }

  async close(): Promise<void> {
    const sessions = await Promise.allSettled(this.sessions.values());
    await Promise.allSettled(sessions.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }

  /** Opened once, however many requests come at the same time. */
  private opened(handle: string): Promise<HttpSession> {
    const opening = Promise.resolve(this.of.guard(handle)).then((guard) => new HttpSession(this.shared, guard));
    this.sessions.set(handle, opening);
    opening.catch(() => this.sessions.delete(handle));
    return opening;
  }
}
