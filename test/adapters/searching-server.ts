import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A provider's search under a contract: once in a session, or not at all. */
export const SEARCH_PACK = `
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { search: 1 } }
#== search.yaml (with the required fields)
#== closed.yaml (with the required fields)
gate: block
`;

/** A server of responses, whose model has searched by itself so often. */
export async function searchingServer(times: number) {
  const requests: { tools?: readonly { type: string }[] }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    requests.push(JSON.parse(text));
    const action = { type: "search", query: "weather" };
    const searches = Array.from({ length: times }, (_, at) => ({
      type: "web_search_call",
      id: `ws_${at}`,
      status: "completed",
      action,
    }));
    const content = [{ type: "output_text", text: "Sunny.", annotations: [] }];
    const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "resp_1",
        object: "response",
        created_at: 1_700_000_000,
        status: "completed",
        model: "gpt-4o-2024-08-06",
        output: [...searches, message],
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, url: `http://127.0.0.1:${port}/v1` };
}
