import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { describeApplications } from "../client/application.js";
import { counted, DONE, file, look, pay } from "../client/pack.js";
import { clientOf, MODEL, TALKS } from "./harness.js";

function codeOf(cause: unknown): unknown {
  if (!(cause instanceof Anthropic.APIError)) return cause;
  const error: unknown = Reflect.get(Object(cause.error), "error");
  return Reflect.get(Object(error), "code");
}

describeApplications(TALKS, codeOf);

const SEARCH = { type: "web_search_20250305", name: "web_search" } as const;
const CALL = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "q" } };
const RESULT = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
const BLOCKS = [CALL, RESULT];

describe("a request of the client", () => {
  const body = { model: MODEL, max_tokens: 10, messages: [{ role: "user" as const, content: "go" }] };

  it("with a tool that the provider runs is refused, unless the tool has a contract", async () => {
    const turns = [{ items: BLOCKS, text: "Found." }];
    const bare = await clientOf({ turns });
    const refused: unknown = await bare.client.messages.create({ ...body, tools: [SEARCH] }).catch((cause) => cause);
    expect(codeOf(refused)).toBe("provider_tool_refused");
    expect(bare.received).toEqual([]);
    const listed = await clientOf({ turns, options: { providerTools: { web_search: "search" } } });
    const { content } = await listed.client.messages.create({ ...body, tools: [SEARCH] });
    expect(content.at(-1)).toMatchObject({ type: "text", text: "Found." });
    expect(counted(listed.guard)).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("whose reply used a tool of the provider with an output that breaks a rule gets no reply, and the call is counted", async () => {
    const pages = [{ type: "text", text: "a" }];
    const options = { providerTools: { web_search: "fetch" } };
    const replied = async (content: readonly unknown[], mode: "enforce" | "shadow" = "enforce") => {
      const turns = [{ items: [CALL, { ...RESULT, content }], text: "Found." }];
      const { client, guard } = await clientOf({ turns, options, guardOptions: { mode } });
      const code = await client.messages.create({ ...body, tools: [SEARCH] }).then(() => null, codeOf);
      return { code, ...counted(guard) };
    };
    expect(await replied(pages)).toMatchObject({ code: null, toolCalls: 1, unsettled: [] });
    expect(await replied([...pages, ...pages])).toMatchObject({
      code: "output_invariant_failed",
      toolCalls: 1,
      unsettled: [],
    });
    // Shadow mode blocks nothing.
    expect(await replied([...pages, ...pages], "shadow")).toMatchObject({ code: null, toolCalls: 1, unsettled: [] });
  });

  it("with a server of MCP is refused, unless it has a contract", async () => {
    const { client, received } = await clientOf({ turns: [DONE] });
    const mcp_servers = [{ type: "url" as const, name: "desk", url: "https://desk.example" }];
    const tools = [{ type: "mcp_toolset" as const, mcp_server_name: "desk" }];
    const refused: unknown = await client.beta.messages.create({ ...body, mcp_servers, tools }).catch((cause) => cause);
    expect(codeOf(refused)).toBe("provider_tool_refused");
    expect(received).toEqual([]);
  });

  it("keeps a tool where its messages have calls, and says that it is not to be used", async () => {
    const { client, received } = await clientOf({ turns: [{ calls: [file("a")] }, DONE] });
    const tools = [{ name: "look", input_schema: { type: "object" as const } }];
    const { content } = await client.messages.create({ ...body, tools });
    const told = [{ type: "tool_result" as const, tool_use_id: "a", content: "filed" }];
    const messages = [
      ...body.messages,
      { role: "assistant" as const, content },
      { role: "user" as const, content: told },
    ];
    await client.messages.create({ ...body, messages, tools });
    expect(received[1]?.body).toMatchObject({ tools: [{ name: "look" }], tool_choice: { type: "none" } });
  });

  it("settles an error of the application, whose effect is not known", async () => {
    const { client, guard } = await clientOf({ turns: [{ calls: [pay("a", 10), look("b")] }, DONE] });
    const { content } = await client.messages.create(body);
    const told = ["a", "b"].map((id) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      is_error: true,
      content: "no",
    }));
    const messages = [
      ...body.messages,
      { role: "assistant" as const, content },
      { role: "user" as const, content: told },
    ];
    await client.messages.create({ ...body, messages });
    expect(guard.state().unsettled).toMatchObject([{ tool: "pay", status: "indeterminate" }]);
  });

  it.each(["/v1/messages/batches", "/v1/sessions"])("to %s, where calls could pass, is refused", async (path) => {
    const { client, received } = await clientOf({ turns: [DONE] });
    const refused: unknown = await client.post(path, { body: {} }).catch((cause: unknown) => cause);
    expect(codeOf(refused)).toBe("request_not_judged");
    expect(received).toEqual([]);
  });

  it("is judged as the application's own middleware has left it", async () => {
    const { client, received } = await clientOf({ turns: [DONE] });
    const own: Anthropic["middleware"][number] = (request, next) => {
      return next({ ...request, body: JSON.stringify({ ...body, tools: [SEARCH] }) });
    };
    const { guardClient } = await import("../../../src/adapters/anthropic/public.js");
    const { opened } = await import("../client/pack.js");
    const given = new Anthropic({ apiKey: "k", baseURL: client.baseURL, middleware: [own] });
    const refused: unknown = await guardClient(await opened(), given)
      .messages.create(body)
      .catch((cause) => cause);
    expect(codeOf(refused)).toBe("provider_tool_refused");
    expect(received).toEqual([]);
  });
});

describe("a thread that the provider keeps", () => {
  const begin = { model: MODEL, max_tokens: 10, tools: [{ name: "pay", input_schema: { type: "object" as const } }] };

  it.each([false, true])("goes on from the reply that the application got (stream: %s)", async (stream) => {
    const turns = [
      { id: "msg_a", text: "Paying. ", calls: [pay("a", 70)] },
      { id: "msg_b", calls: [pay("b", 30)] },
      { id: "msg_c", ...DONE },
    ];
    const { client, received, guard } = await clientOf({ turns });
    const thread = client.beta.messages.thread(begin);
    const first = { role: "user" as const, content: "go" };
    if (stream) await thread.stream(first).finalMessage();
    else await thread.send(first);
    const told = [{ type: "tool_result" as const, tool_use_id: "b", content: '{"ok":true}' }];
    await thread.send({ role: "user", content: told });
    const threads = received.map(({ body }) => body.thread);
    expect(threads).toEqual([
      { type: "create" },
      { type: "continue", previous_message_id: "msg_a" },
      { type: "continue", previous_message_id: "msg_b" },
    ]);
    expect(received.map(({ body }) => JSON.stringify(body.messages)).join("\n")).toContain('"tool_use_id":"a"');
    expect(counted(guard)).toMatchObject({ paid: 30, unsettled: [] });
  });

  it("gets the errors of calls that were left out beside one that was made", async () => {
    const turns = [
      { id: "msg_a", calls: [pay("a", 70), pay("b", 30)] },
      { id: "msg_b", ...DONE },
    ];
    const { client, received } = await clientOf({ turns, options: { gate: "strip_blocked" } });
    const thread = client.beta.messages.thread(begin);
    const { content } = await thread.send({ role: "user", content: "go" });
    expect(content).toMatchObject([{ id: "b" }]);
    await thread.send({ role: "user", content: [{ type: "tool_result", tool_use_id: "b", content: '{"ok":true}' }] });
    const results = JSON.stringify(received[1]?.body.messages).match(/"tool_use_id":"\w+"/g);
    expect(results).toEqual(['"tool_use_id":"b"', '"tool_use_id":"a"']);
  });

  it("keeps the tools that it began with, because it cannot get others later", async () => {
    const { client, received, guard } = await clientOf({ turns: [DONE] });
    await guard.propose({ tool: "file", args: {} });
    const tools = ["look", "pay"].map((name) => ({ name, input_schema: { type: "object" as const } }));
    await client.beta.messages.thread({ ...begin, tools }).send({ role: "user", content: "go" });
    expect(received[0]?.body.tools).toHaveLength(2);
  });
});
