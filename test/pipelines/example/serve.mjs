// Serves the example agent in a process of its own and reports to its parent how much memory it holds.
import { createServer } from "node:http";
import { toNodeListener } from "contract-guard/pipelines";
import { handler } from "../../../contracts/refunds/agent.mjs";

// Two hundred runs at once wait for each other on a slow machine. What the limits of their calls do is tested elsewhere.
const { setTimeout: begin } = globalThis;
const SHORTEST_LIMIT_MS = 5000;
const HOUR_MS = 3_600_000;
globalThis.setTimeout = (work, ms, ...given) => begin(work, ms < SHORTEST_LIMIT_MS ? ms : HOUR_MS, ...given);

function heapAfterCollection() {
  for (let round = 0; round < 5; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const server = createServer(toNodeListener(handler));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => process.send({ heap: heapAfterCollection() }));
process.on("disconnect", () => process.exit(0));
