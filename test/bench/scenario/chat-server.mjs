import { createServer } from "node:http";

/** A model that asks for one call after the other and then says that it is done, behind the interface of chat completions. */
export async function chatServer(calls) {
  let replies = 0;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const at = JSON.parse(text).messages.filter(({ role }) => role === "tool").length;
    const call = calls[at];
    replies += 1;
    const asked = call && {
      id: `call_${replies}`,
      type: "function",
      function: { name: call.tool, arguments: JSON.stringify(call.args) },
    };
    const message = { role: "assistant", content: asked ? null : "done", ...(asked && { tool_calls: [asked] }) };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: `chatcmpl-${replies}`,
        object: "chat.completion",
        created: 1_700_000_000,
        model: "gpt-4o-2024-08-06",
        choices: [{ index: 0, message, finish_reason: asked ? "tool_calls" : "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      }),
    );
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
