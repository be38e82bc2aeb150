import { createOpenAI, openai } from "@ai-sdk/openai";
import { generateText, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { guardAgent } from "../../../src/adapters/ai/public.js";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { SEARCH_PACK, searchingServer } from "../searching-server.js";

async function modelThatSearches(times: number) {
  const { requests, url: baseURL } = await searchingServer(times);
  return { requests, model: createOpenAI({ baseURL, apiKey: "none" })("gpt-4o") };
}

async function agentOf(contract: string) {
  const guard = await createGuard(artifactOf(SEARCH_PACK), { env: {} });
  const tools: ToolSet = {};
  Object.assign(tools, { web_search: openai.tools.webSearch({}) });
  return { guard, agent: () => guardAgent(guard, { tools, providerTools: { web_search: contract } }) };
}

describe("a tool that the provider runs", () => {
  it("is offered, and counted under its contract", async () => {
    const { model, requests } = await modelThatSearches(1);
    const { guard, agent } = await agentOf("search");
    const { text } = await generateText({ model, prompt: "go", ...agent() });
    expect(text).toBe("Sunny.");
    expect(requests[0]?.tools?.map(({ type }) => type)).toEqual(["web_search"]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("that its contract refuses has run, and its reply is not used", async () => {
    const { model } = await modelThatSearches(2);
    const { guard, agent } = await agentOf("search");
    await expect(generateText({ model, prompt: "go", ...agent() })).rejects.toThrow("session_limit_exceeded");
    expect(guard.state().toolCalls).toBe(1);
  });

  it("whose contract is closed is not offered", async () => {
    const { model, requests } = await modelThatSearches(0);
    const { agent } = await agentOf("closed");
    await generateText({ model, prompt: "go", ...agent() });
    expect(requests[0]?.tools).toBeUndefined();
  });

  it("is not accepted under a name that is no contract", async () => {
    const { agent } = await agentOf("unknown");
    expect(agent).toThrow("`providerTools`");
  });
});
