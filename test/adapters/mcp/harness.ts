import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { onTestFinished } from "vitest";
import { type ServeOptions, serveGuarded } from "../../../src/adapters/mcp/public.js";
import type { Artifact } from "../../../src/artifact/compiled.js";
import { createGuard } from "../../../src/guard/guard.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { deskPack, plainContract } from "../agent-pack.js";

const DESK = fileURLToPath(new URL("desk-server.mjs", import.meta.url));
const SERVERS = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/", import.meta.url));

/** What a client of either generation answers a call with, as far as tests look at it. */
export interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: Record<string, unknown>;
}

/** The packs of the tests: `pay` needs an approval from 50 on, and `file` ends the phase in which one can look. */
export const PACK = [
  deskPack(),
  plainContract("fail", "side_effect: write"),
  plainContract("reject", "side_effect: write"),
  plainContract("hang", "side_effect: write", "timeouts: { total_ms: 300 }"),
  plainContract("crash", "side_effect: write"),
  plainContract("meta"),
  plainContract("poison"),
].join("");

export function deskTarget(env: Readonly<Record<string, string>> = {}): ServeOptions["upstream"] {
  return { command: process.execPath, args: [DESK], env: { ...process.env, ...env }, stderr: "ignore" };
}

/** One of the published servers. */
export function publishedTarget(name: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const started = [`${SERVERS}${name}/dist/index.js`, ...args];
  return { command: process.execPath, args: started, env: { ...process.env, ...env }, stderr: "ignore" } as const;
}

/** A folder that is removed after the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The calls that reached the desk. */
export function callsIn(log: string): readonly unknown[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

interface Setting {
  readonly artifact?: Artifact;
  readonly upstream?: ServeOptions["upstream"];
  readonly approver?: "manual" | "elicit";
  readonly guard?: GuardOptions;
  readonly stateKey?: string;
}

/** A guarded server in this process, to be driven by a client of either generation. */
export async function served({ artifact = artifactOf(PACK), upstream = deskTarget(), ...setting }: Setting = {}) {
  const guard = await createGuard(artifact, { env: {}, approver: "manual", ...setting.guard });
  const { approver = "manual", stateKey } = setting;
  const server = await serveGuarded({
    guard,
    artifact,
    upstream,
    approver,
    ...(stateKey === undefined ? {} : { stateKey }),
  });
  onTestFinished(() => server.close());
  return { guard, server };
}

type Served = Awaited<ReturnType<typeof served>>["server"];

/** The official client of the older protocol. */
export async function oldClient(server: Served, client = new OldClient({ name: "old", version: "1" })) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  server.stdio({ transport: theirs });
  await client.connect(ours);
  return client;
}

/** The official client of the newer protocol. */
export async function newClient(
  server: Served,
  client = new NewClient({ name: "new", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  server.stdio({ transport: theirs });
  await client.connect(ours);
  return client;
}

interface Caller {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** Calls a tool: what a test looks at of the result. */
export async function call(client: Caller, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result;
}

/** The reason of a refusal; null if the call was not refused. */
export function reasonOf({ _meta }: Result): unknown {
  const refusal = _meta?.["contract-guard/refusal"];
  return typeof refusal === "object" && refusal !== null ? Reflect.get(refusal, "reason") : null;
}

export async function names(client: { listTools(): Promise<{ tools: { name: string }[] }> }): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
