import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { createDispatchHandler, type DispatchOptions } from "../../src/pipelines/dispatch/dispatch.js";
import { toNodeListener } from "../../src/pipelines/dispatch/node-listener.js";
import { listenOnLoopback } from "./platform/loopback.js";

export const TOKEN = "inbound-s3cret";
export const AUTH = { name: "Authorization", value: `Bearer ${TOKEN}` };

/** Serves an agent over node:http for one test; options not given are those of an agent that answers at once. */
export async function endpointOf(options: Partial<DispatchOptions> = {}): Promise<string> {
  const handler = createDispatchHandler({
    auth: { token: TOKEN },
    artifact: "none",
    agent: async () => "done",
    ...options,
  });
  const server = createServer(toNodeListener(handler));
  const port = await listenOnLoopback(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${port}/dispatch`;
}
