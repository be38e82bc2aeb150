import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAI, openai } from "@ai-sdk/openai";
import { generateText, type ToolSet } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardAgent } from "../../../src/adapters/ai/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";

const PACK = `
#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { search: 1 } }
#== search.yaml (with the required fields)
#== closed.yaml (with the required fields)
gate: block
`;

/** A server of responses, whose model has searched by itself so often. */
async function searchingServer(times: number) {
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
  return { requests, model: createOpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" })("gpt-4o") };
}

async function agentOf(contract: string) {
  const guard = await createGuard(artifactOf(PACK), { env: {} });
  const tools: ToolSet = {};
  Object.assign(tools, { web_search: openai.tools.webSearch({}) });
  return { guard, agent: () => guardAgent(guard, { tools, providerTools: { web_search: contract } }) };
}

describe("a tool that the provider runs", () => {
  it("is offered, and counted under its contract", async () => {
    const { model, requests } = await searchingServer(1);
    const { guard, agent } = await agentOf("search");
    const { text } = await generateText({ model, prompt: "go", ...agent() });
    expect(text).toBe("Sunny.");
    expect(requests[0]?.tools?.map(({ type }) => type)).toEqual(["web_search"]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("that its contract refuses has run, and its reply is not used", async () => {
    const { model } = await searchingServer(2);
    const { guard, agent } = await agentOf("search");
    await expect(generateText({ model, prompt: "go", ...agent() })).rejects.toThrow("session_limit_exceeded");
    expect(guard.state().toolCalls).toBe(1);
  });

  it("whose contract is closed is not offered", async () => {
    const { model, requests } = await searchingServer(0);
    const { agent } = await agentOf("closed");
    await generateText({ model, prompt: "go", ...agent() });
    expect(requests[0]?.tools).toBeUndefined();
  });

  it("is not accepted under a name that is no contract", async () => {
    const { agent } = await agentOf("unknown");
    expect(agent).toThrow("`providerTools`");
  });
});
