import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { guardClient as guardAnthropic } from "../../../src/adapters/anthropic/public.js";
import { guardClient as guardOpenAI } from "../../../src/adapters/openai/public.js";
import { counted, DONE, opened, pay } from "./pack.js";
import { chatWire, messagesWire, wireServer } from "./wire.js";

const MODEL = "m-2026-01-01";
const bare = { apiKey: "k", logLevel: "off", maxRetries: 0 } as const;

describe("a client with an address that looks like something without calls", () => {
  it.each(["/v1/models/m", "/models/m/v1", "/v1/files"])(
    "of OpenAI gets no reply that was not judged: %s",
    async (path) => {
      const server = await wireServer(chatWire, [{ calls: [pay("a", 5000)] }]);
      const client = guardOpenAI(await opened(), new OpenAI({ ...bare, baseURL: `${server.url}/v1` }));
      const other = client.withOptions({ baseURL: `${server.url}${path}` });
      const asked = other.chat.completions.create({ model: MODEL, messages: [] });
      await expect(asked).rejects.toMatchObject({ status: 403, code: "refused_too_often" });
      const raw = client.post(`${server.url}${path}/chat/completions`, { body: { model: MODEL, messages: [] } });
      await expect(raw).rejects.toMatchObject({ status: 403, code: "request_not_judged" });
      expect(server.received).toHaveLength(10);
    },
  );

  it.each([
    "/models/m:generate",
    "/models/m/infer",
    "/files/..%2fchat%2fcompletions",
    "/files/%252e%252e%252fchat%252fcompletions",
  ])("of OpenAI makes no request that only looks free: %s", async (path) => {
    const server = await wireServer(chatWire, [{ calls: [pay("a", 5000)] }]);
    const client = guardOpenAI(await opened(), new OpenAI({ ...bare, baseURL: `${server.url}/v1` }));
    const asked = client.post(path, { body: { model: MODEL, messages: [] } });
    await expect(asked).rejects.toMatchObject({ status: 403, code: "request_not_judged" });
    expect(server.received).toEqual([]);
  });

  it("of Anthropic makes no request that only looks free", async () => {
    const server = await wireServer(messagesWire, [{ calls: [pay("a", 5000)] }]);
    const client = guardAnthropic(await opened(), new Anthropic({ ...bare, baseURL: server.url }));
    for (const path of ["/v1/models/m:rawPredict", "/v1/files/..%2fmessages"]) {
      await expect(client.post(path, { body: {} })).rejects.toMatchObject({ status: 403 });
    }
    expect(server.received).toEqual([]);
  });

  it.each(["/v1/models/m", "/v1/files"])("of Anthropic gets its replies judged: %s", async (path) => {
    const server = await wireServer(messagesWire, [{ calls: [pay("a", 5000)] }, DONE]);
    const guard = await opened();
    const client = guardAnthropic(guard, new Anthropic({ ...bare, baseURL: `${server.url}${path}` }));
    const body = { model: MODEL, max_tokens: 9, messages: [{ role: "user" as const, content: "go" }] };
    const { content } = await client.messages.create(body);
    expect(content).toMatchObject([{ type: "text", text: "All done." }]);
    expect(counted(guard)).toMatchObject({ toolCalls: 0, steps: 2 });
    const batch: unknown = await client.messages.batches.retrieve("b").catch((cause: unknown) => cause);
    expect(batch).toMatchObject({ status: 403 });
  });
});

describe("a guarded client of OpenAI with the identity of its workload", () => {
  it("gets its credentials, and its replies are judged", async () => {
    const server = await wireServer(chatWire, [{ calls: [pay("a", 5000)] }, DONE]);
    const exchanged: string[] = [];
    const send: typeof fetch = async (input, init) => {
      if (String(input).startsWith(server.url)) return fetch(input, init);
      exchanged.push(String(input));
      return Response.json({ access_token: "t", expires_in: 3600 });
    };
    const provider = { tokenType: "jwt" as const, getToken: async () => "subject" };
    const workloadIdentity = { identityProviderId: "i", serviceAccountId: "s", provider };
    const { apiKey: _, ...others } = bare;
    const client = new OpenAI({ ...others, workloadIdentity, fetch: send, baseURL: `${server.url}/v1` });
    const guard = await opened();
    const { choices } = await guardOpenAI(guard, client).chat.completions.create({ model: MODEL, messages: [] });
    expect(choices).toMatchObject([{ message: { content: "All done." } }]);
    expect(exchanged).toEqual(["https://auth.openai.com/oauth/token"]);
    expect(counted(guard)).toMatchObject({ toolCalls: 0, steps: 2 });
  });
});

describe("a copy of a guarded client", () => {
  it("of OpenAI is guarded, whatever it sends with, and shares the session", async () => {
    const server = await wireServer(chatWire, [{ calls: [pay("a", 5000)] }, DONE]);
    const guard = await opened();
    const client = guardOpenAI(guard, new OpenAI({ ...bare, baseURL: `${server.url}/v1` }));
    let sent = 0;
    const logging: typeof fetch = (input, init) => {
      sent += 1;
      return fetch(input, init);
    };
    const copy = client.withOptions({ fetch: logging }).withOptions({ timeout: 5000 });
    const { choices } = await copy.chat.completions.create({ model: MODEL, messages: [] });
    expect(choices).toMatchObject([{ message: { content: "All done." } }]);
    expect(sent).toBe(2);
    expect(counted(guard)).toMatchObject({ toolCalls: 0, steps: 2 });
  });

  it("for Azure keeps its version and its deployment", async () => {
    const server = await wireServer(chatWire, [{ calls: [pay("a", 5000)] }, DONE]);
    const guard = await opened();
    const azure = { endpoint: server.url, apiVersion: "2024-10-21", deployment: "mini" };
    const client = guardOpenAI(guard, new AzureOpenAI({ ...bare, ...azure }));
    const { choices } = await client
      .withOptions({ timeout: 5000 })
      .chat.completions.create({ model: MODEL, messages: [] });
    expect(choices).toMatchObject([{ message: { content: "All done." } }]);
    expect(counted(guard)).toMatchObject({ toolCalls: 0, steps: 2 });
    expect(server.received[0]?.path).toBe("/openai/deployments/mini/chat/completions?api-version=2024-10-21");
  });

  it("of Anthropic is guarded, whatever middleware it has", async () => {
    const server = await wireServer(messagesWire, [{ calls: [pay("a", 5000)] }, DONE]);
    const guard = await opened();
    const client = guardAnthropic(guard, new Anthropic({ ...bare, baseURL: server.url }));
    const body = { model: MODEL, max_tokens: 9, messages: [{ role: "user" as const, content: "go" }] };
    const { content } = await client.withOptions({ middleware: [] }).messages.create(body);
    expect(content).toMatchObject([{ type: "text", text: "All done." }]);
    expect(counted(guard)).toMatchObject({ toolCalls: 0, steps: 2 });
  });
});
