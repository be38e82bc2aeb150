import { createServer } from "node:http";

/** What the model of the examples says, after so many results of its calls: it forgets the city at first. */
const REPLIES = [
  { calls: { unit: "celsius" } },
  { calls: { city: "Lisbon", unit: "celsius" } },
  { text: "It is 21 degrees in Lisbon." },
];

function messageOf({ calls, text }, at) {
  if (calls === undefined) return { role: "assistant", content: text };
  const called = { name: "get_weather", arguments: JSON.stringify(calls) };
  return { role: "assistant", content: null, tool_calls: [{ id: `call_${at}`, type: "function", function: called }] };
}

function completionBody({ messages }) {
  const at = messages.filter(({ role }) => role === "tool").length;
  const message = messageOf(REPLIES[at], at);
  const finish_reason = message.content === null ? "tool_calls" : "stop";
  return {
    id: `chatcmpl-${at}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "gpt-4o-2024-08-06",
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

/** The same in the messages API. */
function blockOf({ calls, text }, at) {
  return calls === undefined
    ? { type: "text", text }
    : { type: "tool_use", id: `call_${at}`, name: "get_weather", input: calls };
}

let results = 0;

/** A thread sends each result once. */
function messageBody({ messages }) {
  results += messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result").length;
  const block = blockOf(REPLIES[results], results);
  return {
    id: `msg_${results}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content: [block],
    stop_reason: block.type === "text" ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  };
}

/** A model behind the interfaces of chat completions and messages, for examples that run without keys: the address of its server. */
export async function modelServer() {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const answer = request.url.includes("/messages") ? messageBody : completionBody;
    response.writeHead(200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(answer(JSON.parse(text))));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  server.unref();
  return `http://127.0.0.1:${server.address().port}/v1`;
}
