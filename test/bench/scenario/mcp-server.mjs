import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { allowedCalls } from "./traffic.mjs";

/** The tools of the scenario as an MCP server, each of which accepts at once. */
const NAMES = [...new Set(["approve_risk_check", ...allowedCalls().map(({ tool }) => tool)])];
const RESULT = { content: [{ type: "text", text: "accepted" }], structuredContent: { accepted: true } };

serveStdio(() => {
  const server = new Server({ name: "scenario", version: "1" }, { capabilities: { tools: {} } });
  const tools = NAMES.map((name) => ({ name, inputSchema: { type: "object" } }));
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", () => RESULT);
  return server;
});
