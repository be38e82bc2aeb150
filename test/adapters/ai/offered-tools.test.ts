import { openai } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { DONE, pay } from "../agent-replies.js";
import { type Desk, desk } from "./harness.js";

const bare = (log: string[]) =>
  tool({
    inputSchema: jsonSchema({ type: "object", properties: {} }),
    execute: () => {
      log.push("refund");
      return {};
    },
  });
const anthropic = { mcpServers: [{ type: "url", name: "files", url: "https://files.example" }] };

describe("what is offered beside the tools of the guard", () => {
  it("is not, if it is a tool of the application: it would be executed without the guard", async () => {
    const { settings, server, log } = await desk([{ calls: [{ id: "r", name: "refund", args: {} }] }, DONE]);
    const tools = { ...settings.tools, refund: bare(log) };
    await expect(generateText({ ...settings, tools: tools as Desk, prompt: "go" })).rejects.toThrow("is not guarded");
    expect({ log, requests: server.requests }).toEqual({ log: [], requests: [] });
  });

  it("is not, if it is a tool of the provider without a contract", async () => {
    const { settings, server } = await desk([DONE]);
    const tools = { ...settings.tools, web_search: openai.tools.webSearch({}) };
    await expect(generateText({ ...settings, tools: tools as Desk, prompt: "go" })).rejects.toThrow("`providerTools`");
    expect(server.requests).toEqual([]);
  });

  it("is not, if it is a server that the provider calls, without a contract", async () => {
    const { settings, server } = await desk([DONE]);
    const asked = generateText({ ...settings, prompt: "go", providerOptions: { anthropic } });
    await expect(asked).rejects.toThrow("mcp:files is run by the provider");
    expect(server.requests).toEqual([]);
  });

  it("is a server that the provider calls under a contract", async () => {
    const { settings, log } = await desk([{ calls: [pay("a", 1)] }, DONE], {
      providerTools: { "mcp:files": "search" },
    });
    await generateText({ ...settings, prompt: "go", providerOptions: { anthropic } });
    expect(log).toEqual(["pay 1"]);
  });
});
