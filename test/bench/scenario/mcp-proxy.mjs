import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { serveGuarded } from "../../../dist/adapters/mcp/public.js";
import { createGuard } from "../../../dist/guard/guard.js";
import { readArtifact } from "./guard.mjs";
import { PRINCIPAL } from "./traffic.mjs";

/** A proxy in front of the server of the scenario: `guarded` by the artifact in a file, or `empty`, made with the same SDK. */
const [, , kind, file] = process.argv;
const command = { command: process.execPath, args: [fileURLToPath(new URL("mcp-server.mjs", import.meta.url))] };

async function guarded() {
  const artifact = readArtifact(readFileSync(file, "utf8"));
  const guard = await createGuard(artifact, { principal: PRINCIPAL });
  (await serveGuarded({ guard, artifact, upstream: command })).stdio();
}

async function empty() {
  const client = new Client({ name: "proxy", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(command));
  serveStdio(() => {
    const server = new Server({ name: "proxy", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => client.listTools());
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      client.callTool({ name: params.name, arguments: params.arguments }, { signal: mcpReq.signal }),
    );
    return server;
  });
}

await (kind === "guarded" ? guarded() : empty());
process.stdin.once("close", () => process.exit());
