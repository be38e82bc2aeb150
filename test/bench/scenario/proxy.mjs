import { createServer } from "node:http";

/** A proxy that answers every tool call at once, in a process of its own. */
const ANSWER = JSON.stringify({
  tool_name: "submit_live_order",
  response: { accepted: true },
  source: "odyssey",
  latency_ms: 0,
  matched_rule_index: null,
});

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit(0));
