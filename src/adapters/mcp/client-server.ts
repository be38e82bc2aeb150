import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/server";
import type { Guard } from "../../guard/guard-api.js";
import { stateCodec } from "./approval-state.js";
import type { Catalog } from "./catalog.js";
import { GuardedCalls } from "./guarded-calls.js";
import { type Era, listedTools, onNarrowed } from "./tool-list.js";
import type { ClientName, Upstream } from "./upstream.js";

/** What all clients share. */
export interface Shared {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly name: ClientName;
  /** Null if the users of clients are not asked for approvals. */
  readonly stateKey: Uint8Array | string | null;
  /** The calls that are running, of all clients. */
  readonly running: Set<Promise<unknown>>;
}

/** The server that one client talks to, or one request of a client without connections. */
export function clientServer(shared: Shared, guard: Guard, era: Era): Server {
  const { upstream, catalog, name, stateKey, running } = shared;
  const codec = stateKey === null ? null : stateCodec(stateKey, guard.sessionId);
  const server = new Server(
    { ...name },
    {
      capabilities: { tools: era === "legacy" ? { listChanged: true } : {} },
      ...(upstream.instructions === undefined ? {} : { instructions: upstream.instructions }),
      ...(codec === null ? {} : { requestState: { verify: codec.verify } }),
    },
  );
  const connection = { guard, catalog, upstream, era, codec, name: randomUUID(), running };
  const calls = new GuardedCalls(connection, server);
  server.setRequestHandler("tools/list", async () => {
    await catalog.read();
    return { tools: listedTools(guard, catalog, era) };
  });
  server.setRequestHandler("tools/call", (request, ctx) => calls.handle(request, ctx));
  if (era === "legacy") announceChanges(server, guard, upstream);
  return server;
}

/** Tells a client of the older protocol when it should ask for the tools again. */
function announceChanges(server: Server, guard: Guard, upstream: Upstream): void {
  const announce = () => {
    // A client that is gone does not ask again.
    server.sendToolListChanged().catch(() => {});
  };
  const stops = [onNarrowed(guard, announce), upstream.onToolsChanged(announce)];
  server.onclose = () => {
    for (const stop of stops) stop();
  };
}
