import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveGuarded } from "../../../src/adapters/mcp/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { call, deskTarget, names, newClient, oldClient, PACK, reasonOf, served } from "./harness.js";

type Fetch = (request: Request) => Promise<Response>;

/** A server on loopback in front of a handler of requests. */
async function listening(handle: Fetch): Promise<URL> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = incoming.method === "POST" ? { body: Buffer.concat(chunks) } : {};
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers,
      ...body,
    });
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    // biome-ignore lint/suspicious/noExplicitAny: Node and the platform name the type of one stream differently.
    else Readable.fromWeb(response.body as any).pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

async function oldOver(url: URL, session: string | null, client = new OldClient({ name: "old", version: "1" })) {
  const headers: Record<string, string> = session === null ? {} : { "contract-session": session };
  // The client declares its session id in a way that strict optional properties reject.
  await client.connect(new OldTransport(url, { requestInit: { headers } }) as Transport);
  onTestFinished(() => client.close());
  return client;
}

async function newOver(url: URL, session: string | null) {
  const client = new NewClient({ name: "new", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const headers: Record<string, string> = session === null ? {} : { "contract-session": session };
  await client.connect(new NewTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** One guarded server whose sessions are named by requests. */
async function servedByHandle(approver: "manual" | "elicit" = "manual") {
  const artifact = artifactOf(PACK);
  const guards = new Map<string, Guard>();
  const server = await serveGuarded({
    artifact,
    upstream: deskTarget(),
    approver,
    guard: async (sessionId) => {
      const guard = await createGuard(artifact, { env: {}, approver: "manual", sessionId });
      guards.set(sessionId, guard);
      return guard;
    },
  });
  onTestFinished(() => server.close());
  return { guards, url: await listening((request) => server.fetch(request)) };
}

const CLIENTS = [
  ["older", oldOver],
  ["newer", newOver],
] as const;

describe.each(CLIENTS)("a client of the %s protocol over HTTP", (_, connect) => {
  it("has the session that its header names, whatever its connection is", async () => {
    const { guards, url } = await servedByHandle();
    const [first, second] = [await connect(url, "ann"), await connect(url, "ann")];
    const other = await connect(url, "bob");
    expect(await call(first, "pay", { n: 40 })).toMatchObject({ structuredContent: { n: 40 } });
    expect(await call(second, "pay", { n: 45 })).toMatchObject({ structuredContent: { n: 45 } });
    expect(reasonOf(await call(first, "pay", { n: 40 }))).toBe("aggregate_exceeded");
    expect(await call(other, "pay", { n: 40 })).toMatchObject({ structuredContent: { n: 40 } });
    expect([...guards].map(([id, guard]) => [id, guard.state().aggregates.paid])).toEqual([
      ["ann", 85],
      ["bob", 40],
    ]);
  });

  it("is not served without a session", async () => {
    const { guards, url } = await servedByHandle();
    await expect(connect(url, null)).rejects.toThrow();
    expect(guards.size).toBe(0);
  });

  it("needs to name no session where there is one only", async () => {
    const { guard, server } = await served();
    const client = await connect(await listening((request) => server.fetch(request)), null);
    await call(client, "pay", { n: 7 });
    expect(guard.state().aggregates).toEqual({ paid: 7 });
  });
});

describe("the older protocol over HTTP", () => {
  it("is told when the tools change, and lists fewer", async () => {
    const { url } = await servedByHandle();
    const client = await oldOver(url, "ann");
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    expect(await names(client)).toContain("look");
    await call(client, "file");
    await expect.poll(() => changes).toBe(1);
    expect(await names(client)).not.toContain("look");
  });

  it("asks its user for an approval", async () => {
    const { guards, url } = await servedByHandle("elicit");
    const asking = new OldClient({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
    asking.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { decision: "approve" } }));
    const client = await oldOver(url, "ann", asking);
    expect(await call(client, "pay", { n: 55 })).toMatchObject({ structuredContent: { n: 55 } });
    expect(guards.get("ann")?.state().aggregates).toEqual({ paid: 55 });
  });

  it("gives up the connection that was used least, where its clients never end one", async () => {
    const { server } = await served();
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const asked = async (method: string, params: object, id: string | null = null) => {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const response = await server.fetch(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          headers: id === null ? headers : { ...headers, "mcp-session-id": id },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        }),
      );
      await response.body?.cancel();
      return response;
    };
    const ids: string[] = [];
    for (let at = 0; at <= 100; at++) {
      if (at === 100) expect(await asked("ping", {}, ids[0] ?? null)).toMatchObject({ status: 200 });
      ids.push((await asked("initialize", hello)).headers.get("mcp-session-id") ?? "");
    }
    const statuses = await Promise.all([0, 1, 2].map(async (at) => (await asked("ping", {}, ids[at] ?? "")).status));
    expect(statuses).toEqual([200, 404, 200]);
  });

  it("does not give one session the connection of another", async () => {
    const { url } = await servedByHandle();
    const client = await oldOver(url, "ann");
    const connection = (client.transport as OldTransport).sessionId ?? "";
    const body = { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "pay", arguments: { n: 1 } } };
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": connection,
        "mcp-protocol-version": "2025-11-25",
        "contract-session": "bob",
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(404);
  });
});

/** The desk as a process that listens for HTTP. */
async function deskOverHttp(env: Readonly<Record<string, string>>): Promise<string> {
  const script = fileURLToPath(new URL("desk-server.mjs", import.meta.url));
  const desk = spawn(process.execPath, [script], {
    env: { ...process.env, DESK_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    desk.kill();
  });
  const [port] = await once(desk.stdout, "data");
  return `http://127.0.0.1:${Number(port)}/mcp`;
}

describe.each([
  ["both protocols", {}],
  ["the newer protocol alone", { DESK_LEGACY: "reject" }],
] as const)("a server of %s behind HTTP", (_, env) => {
  it("is guarded", async () => {
    const url = await deskOverHttp(env);
    const { guard, server } = await served({ upstream: { url } });
    for (const client of [await oldClient(server), await newClient(server)]) {
      expect(await call(client, "pay", { n: 4 })).toMatchObject({ structuredContent: { n: 4 } });
      expect(reasonOf(await call(client, "pay", { n: 61 }))).toBe("input_invariant_failed");
    }
    expect(guard.state()).toMatchObject({ aggregates: { paid: 8 }, unsettled: [] });
  });

  it("may have done what it was asked before it ended", async () => {
    const url = await deskOverHttp(env);
    const { guard, server } = await served({ upstream: { url } });
    expect(await call(await oldClient(server), "crash")).toMatchObject({ isError: true });
    expect(guard.state().unsettled).toMatchObject([{ tool: "crash", status: "indeterminate" }]);
  });
});
