import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { median } from "../measure.mjs";
import { allowedCalls } from "../scenario/traffic.mjs";

const PROXY = fileURLToPath(new URL("../scenario/mcp-proxy.mjs", import.meta.url));
const CALLS = 64;
const WARM_UPS = 15;
const TURNS = 61;

/** A client of a proxy in a process of its own. */
async function connected(...args) {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROXY, ...args] }));
  return client;
}

/** Microseconds of each call, one after the other. */
async function turn(client, calls) {
  const times = [];
  for (const { tool, args } of calls) {
    const start = performance.now();
    const { structuredContent } = await client.callTool({ name: tool, arguments: args });
    times.push((performance.now() - start) * 1000);
    if (structuredContent?.accepted !== true) throw new Error("not the answer of the server");
  }
  return times;
}

/** The median microseconds of a call through an empty proxy and through a guarded one, which take turns. */
export async function measure({ artifact }) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(folder, "artifact.json");
  writeFileSync(file, artifact);
  const clients = { empty: await connected("empty"), guarded: await connected("guarded", file) };
  try {
    await clients.guarded.callTool({ name: "approve_risk_check", arguments: {} });
    const calls = allowedCalls().slice(0, CALLS);
    const times = { empty: [], guarded: [] };
    for (let round = -WARM_UPS; round < TURNS; round++) {
      for (const [name, client] of Object.entries(clients)) {
        const taken = await turn(client, calls);
        if (round >= 0) times[name].push(...taken);
      }
    }
    return { empty: median(times.empty), guarded: median(times.guarded) };
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}
