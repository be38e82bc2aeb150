import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { guardMiddleware } from "../../../src/adapters/langchain/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { SEARCH_PACK, searchingServer } from "../searching-server.js";

/** An agent whose model may search by itself, under a contract, and searches so often. */
async function searching(times: number, contract: string) {
  const guard = await createGuard(artifactOf(SEARCH_PACK), { env: {} });
  const { requests, url: baseURL } = await searchingServer(times);
  const model = new ChatOpenAI({
    model: "gpt-4o-2024-08-06",
    ...{ useResponsesApi: true, configuration: { baseURL }, apiKey: "none", maxRetries: 0 },
  });
  const middleware = [guardMiddleware(guard, { providerTools: { web_search: contract } })];
  const agent = createAgent({ model, tools: [{ type: "web_search" }], middleware });
  return { guard, requests, run: () => agent.invoke({ messages: [{ role: "user", content: "go" }] }) };
}

describe("a tool that the provider runs, in a reply of LangChain", () => {
  it("is offered, and counted under its contract", async () => {
    const { guard, requests, run } = await searching(1, "search");
    const { messages } = await run();
    expect(messages.at(-1)?.text).toBe("Sunny.");
    expect(requests[0]?.tools?.map(({ type }) => type)).toEqual(["web_search"]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("that its contract refuses has run, and its reply is not used", async () => {
    const { guard, run } = await searching(2, "search");
    await expect(run()).rejects.toThrow("session_limit_exceeded");
    expect(guard.state().toolCalls).toBe(1);
  });

  it("whose contract is closed is not offered", async () => {
    const { requests, run } = await searching(0, "closed");
    await run();
    expect(requests[0]?.tools ?? []).toEqual([]);
  });

  it("is not accepted under a name that is no contract", async () => {
    const { requests, run } = await searching(0, "unknown");
    await expect(run()).rejects.toThrow("`providerTools`");
    expect(requests).toEqual([]);
  });
});
