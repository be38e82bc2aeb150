import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { describeApplications } from "../client/application.js";
import { counted, DONE, file, opened, pay } from "../client/pack.js";
import { clientOf, MODEL, TALKS } from "./harness.js";

describeApplications(TALKS, (cause) => (cause instanceof OpenAI.APIError ? cause.code : cause));

describe("a request of the client", () => {
  it("with a tool that the provider runs is refused, unless the tool has a contract", async () => {
    const search = { type: "web_search" as const };
    const call = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
    const turns = [{ items: [call], text: "Found." }];
    const body = { model: MODEL, input: "go", tools: [search] };
    const bare = await clientOf({ turns }, "responses");
    await expect(bare.client.responses.create(body)).rejects.toMatchObject({ code: "provider_tool_refused" });
    expect(bare.received).toEqual([]);
    const listed = await clientOf({ turns, options: { providerTools: { web_search: "search" } } }, "responses");
    expect((await listed.client.responses.create(body)).output_text).toBe("Found.");
    expect(counted(listed.guard)).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("loses a provider's tool whose contract does not hold now, and a reply that used it is not passed on", async () => {
    const call = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
    const turns = [{ calls: [file("a")] }, { items: [call], text: "Found." }];
    const { client, received } = await clientOf(
      { turns, options: { providerTools: { web_search: "search" } } },
      "responses",
    );
    const tools = [
      { type: "web_search" as const },
      { type: "function" as const, name: "file", parameters: {}, strict: false },
    ];
    const first = await client.responses.create({ model: MODEL, input: "go", tools });
    const outputs = [{ type: "function_call_output" as const, call_id: "a", output: "filed" }];
    const next = client.responses.create({ model: MODEL, previous_response_id: first.id, input: outputs, tools });
    await expect(next).rejects.toMatchObject({ code: "phase_not_allowed" });
    expect(JSON.stringify(received[1]?.body.tools)).not.toContain("web_search");
  });

  it.each([
    ["GET", "/v1/responses/resp_1"],
    ["POST", "/v1/batches"],
    ["POST", "/v1/threads/runs"],
    ["POST", "/v1/responses/compact"],
  ])("to %s %s, where calls could pass, is refused", async (method, path) => {
    const { client, received } = await clientOf({ turns: [DONE] }, "chat");
    const sent = method === "GET" ? client.get(path.slice(3)) : client.post(path.slice(3), { body: {} });
    await expect(sent).rejects.toMatchObject({ status: 403, code: "request_not_judged" });
    expect(received).toEqual([]);
  });

  it("for something without calls is passed on, and is no step", async () => {
    const { client, received, guard } = await clientOf({ turns: [DONE] }, "chat");
    await client.embeddings.create({ model: "e", input: "x" });
    expect(received.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
    expect(counted(guard)).toMatchObject({ steps: 0 });
  });

  it("goes on from the last reply, where a stream had the id of the first", async () => {
    const turns = [{ calls: [pay("a", 70)] }, { calls: [pay("b", 30)] }, DONE];
    const { client, received } = await clientOf({ turns }, "responses");
    const { id } = await client.responses.stream({ model: MODEL, input: "go" }).finalResponse();
    const input = [{ type: "function_call_output" as const, call_id: "b", output: '{"ok":true}' }];
    await client.responses.create({ model: MODEL, previous_response_id: id, input });
    const [, number] = /resp_(\d+)/.exec(id) ?? [];
    expect(received[2]?.body).toMatchObject({ previous_response_id: `resp_${Number(number) + 1}`, input });
  });

  it("for a model without a price is refused where cost is counted", async () => {
    const { client } = await clientOf(
      { turns: [DONE], options: { prices: { other: { input: 1, output: 1 } } } },
      "chat",
    );
    const asked = client.chat.completions.create({ model: MODEL, messages: [] });
    await expect(asked).rejects.toMatchObject({ code: "cost_unknown" });
  });

  it("keeps what the application has put before the network", async () => {
    const seen: unknown[] = [];
    const own: typeof fetch = async (_, init) => {
      seen.push(init?.method);
      return Response.json({ error: { message: "no" } }, { status: 400 });
    };
    const { guardClient } = await import("../../../src/adapters/openai/public.js");
    const client = guardClient(await opened(), new OpenAI({ apiKey: "k", fetch: own }));
    await expect(client.chat.completions.create({ model: MODEL, messages: [] })).rejects.toMatchObject({ status: 400 });
    expect(seen).toEqual(["POST"]);
  });
});
