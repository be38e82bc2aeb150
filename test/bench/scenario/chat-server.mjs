import { createServer } from "node:http";
import { allowedCalls } from "./traffic.mjs";

/** A model that asks for one call after the other, as many as the first message says, and then ends. Prints its port. */
const CALLS = allowedCalls();
let ids = 0;

function messageFor(messages) {
  const [{ content }] = messages;
  const [first, count] = content.split(" ").map(Number);
  const done = messages.filter(({ role }) => role === "tool").length;
  if (done === count) return { role: "assistant", content: "done" };
  const { tool, args } = CALLS[(first + done) % CALLS.length];
  ids += 1;
  const called = { name: tool, arguments: JSON.stringify(args) };
  return { role: "assistant", content: null, tool_calls: [{ id: `call_${ids}`, type: "function", function: called }] };
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const message = messageFor(JSON.parse(Buffer.concat(pieces).toString()).messages);
  const finish_reason = message.content === null ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const body = { id: `chatcmpl-${ids}`, object: "chat.completion", created: 1, model: "m-2026-01-01", usage };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...body, choices: [{ index: 0, message, finish_reason }] }));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().once("close", () => process.exit());
