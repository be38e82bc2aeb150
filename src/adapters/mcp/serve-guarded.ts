import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { type ServeStdioOptions, StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Artifact } from "../../artifact/compiled.js";
import type { Guard } from "../../guard/guard-api.js";
import { randomKey } from "./approval-state.js";
import { Catalog } from "./catalog.js";
import { clientServer, type Shared } from "./client-server.js";
import { type FetchOptions, type GuardOf, type HandleOf, HttpSessions, handleInHeader } from "./http-sessions.js";
import { type ClientName, Upstream, type UpstreamTarget } from "./upstream.js";

/** How the tools of an MCP server are guarded. */
export interface ServeOptions {
  /** The guard of the session, or that of the session which a request over HTTP names. */
  readonly guard: Guard | GuardOf;
  /** How a request over HTTP names its session: in the header `contract-session` by default. With one guard none needs to. */
  readonly handleOf?: HandleOf;
  /** The artifact of the guard: it has the definitions that its contracts were written for. */
  readonly artifact: Artifact;
  readonly upstream: UpstreamTarget;
  /**
   * Who answers requests for approvals: somebody elsewhere ("manual", the default), or the user of the client ("elicit"). The
   * guard has to wait for the answer, so its own `approver` is "manual".
   */
  readonly approver?: "manual" | "elicit";
  /** Signs what clients bring back with an answer: at least 32 bytes, the same in all processes that serve a session. */
  readonly stateKey?: Uint8Array | string;
  /** How the server calls itself. */
  readonly name?: ClientName;
}

/** An MCP server in front of another one. */
export interface GuardedServer {
  /** Serves one client over the standard streams of the process, or over the transport that is given. */
  stdio(options?: Pick<ServeStdioOptions, "transport" | "onerror">): void;
  /** Serves clients over streamable HTTP. Whoever mounts it checks credentials and the origin of requests. */
  readonly fetch: (request: Request, options?: FetchOptions) => Promise<Response>;
  /** Resolves when the server behind has ended, or the client over standard streams has gone. */
  readonly ended: Promise<"client" | "upstream">;
  /** Ends the connections, after the calls that are running were settled. */
  close(): Promise<void>;
}

const ANSWER_MS = 1000;
const NAME: ClientName = { name: "contract-guard", version: "1" };

/** Calls of a server that has ended fail at once, and their clients are told so. Others may wait for an approval: not for those. */
async function answered(running: ReadonlySet<Promise<unknown>>): Promise<void> {
  await Promise.race([Promise.allSettled(running), sleep(ANSWER_MS, undefined, { ref: false })]);
  // An answer is sent after its call has ended.
  await setImmediate();
}

/** The guard of a session, if it judges by the artifact whose definitions are compared. */
function checked(guard: Guard, { hash }: Artifact): Guard {
  if (guard.artifactHash === hash) return guard;
  throw new TypeError("`artifact` is not the one that the guard judges by");
}

/** Connects to an MCP server, and serves its tools under the contracts of a guard. */
export async function serveGuarded(options: ServeOptions): Promise<GuardedServer> {
  const { guard, artifact, approver = "manual", stateKey = randomKey(), name = NAME } = options;
  const single = typeof guard === "function" ? null : checked(guard, artifact);
  const guardOf: GuardOf = async (handle) => single ?? checked(await (guard as GuardOf)(handle), artifact);
  const upstream = await Upstream.connect(options.upstream, name);
  const catalog = new Catalog(upstream, artifact);
  const closing: (() => Promise<void>)[] = [];
  const running = new Set<Promise<unknown>>();
  const shared: Shared = { upstream, catalog, name, running, stateKey: approver === "elicit" ? stateKey : null };
  const handle = options.handleOf ?? (single === null ? handleInHeader : () => single.sessionId);
  const http = new HttpSessions(shared, { guard: guardOf, handle });
  let end: (by: "client" | "upstream") => void = () => {};
  const ended = new Promise<"client" | "upstream">((resolve) => {
    end = resolve;
  });
  upstream.onClosed(() => end("upstream"));
  try {
    await catalog.read();
  } catch (cause) {
    await upstream.close();
    throw cause;
  }
  return {
    ended,
    fetch: (request, given) => http.fetch(request, given),
    stdio({ transport = new StdioServerTransport(), onerror } = {}) {
      if (single === null) throw new TypeError("over standard streams there is one session: give its guard");
      const reporting = onerror === undefined ? {} : { onerror };
      const handle = serveStdio(({ era }) => clientServer(shared, single, era), { transport, ...reporting });
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        end("client");
      };
      closing.push(() => handle.close());
    },
    async close() {
      if (upstream.hasEnded) await answered(running);
      await Promise.allSettled([http.close(), ...closing.map((each) => each())]);
      await Promise.allSettled(running);
      await upstream.close();
    },
  };
}
