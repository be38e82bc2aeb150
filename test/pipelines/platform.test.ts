import { describe, expect, it } from "vitest";
import { hang } from "./platform/behaviour.js";
import { type DispatchOptions, startPlatform } from "./platform/platform.js";
import { agentOf, platformOf } from "./platform/platform-of.js";
import { refusedUrl } from "./platform/raw-socket.js";
import { type AgentReply, replyJson } from "./platform/stub-agent.js";

const RICH = { response_mode: "rich", strictness: "strict" } as const;

async function dispatched(reply: AgentReply, options: DispatchOptions = {}) {
  const platform = await platformOf();
  const agent = await agentOf(reply);
  return platform.dispatch(platform.openRun(), agent.url, options);
}

const codesOf = (result: { readonly softWarnings: readonly { readonly code: string }[] }) =>
  result.softWarnings.map(({ code }) => code);

describe("the dispatcher", () => {
  it("sends the documented headers and body, the token in a header only", async () => {
    const platform = await platformOf();
    const agent = await agentOf(replyJson({ final_response: "done" }));
    const run = platform.openRun();
    const { runId, taskId, agentId, jti, runToken, proxyUrl } = run;
    await platform.dispatch(run, agent.url, {
      userInstruction: "Do it",
      input: { order_id: "4521" },
      authHeader: { name: "X-API-Key", value: "inbound" },
    });
    const [request] = agent.received;
    expect(request?.body).toEqual({
      task_id: taskId,
      run_id: runId,
      agent_id: agentId,
      input: { task_id: taskId, user_instruction: "Do it", input: { order_id: "4521" } },
      odyssey_proxy_url: proxyUrl,
      run_token_jti: jti,
    });
    expect(request?.text).not.toContain(runToken);
    expect(request?.method).toBe("POST");
    expect(request?.headers).toEqual({
      "content-type": "application/json",
      "x-pipelines-run-token": runToken,
      "x-pipelines-odyssey-proxy-url": proxyUrl,
      "x-pipelines-run-id": String(runId),
      "x-pipelines-task-id": String(taskId),
      "x-pipelines-run-token-jti": jti,
      "x-api-key": "inbound",
      host: new URL(agent.url).host,
      connection: "close",
      "content-length": String(request?.bytes),
    });
  });

  it("leaves out, adds and replaces what a test asks for", async () => {
    const platform = await platformOf();
    const agent = await agentOf(replyJson({ final_response: "done" }));
    await platform.dispatch(platform.openRun(), agent.url, {
      messages: [{ role: "user", content: "before" }],
      omitFromBody: ["run_id", "input.user_instruction", "input.input", "nothing.there"],
      bodyFields: { odyssey_proxy_url: "http://127.0.0.1/other" },
      omitHeaders: ["X-PIPELINES-RUN-TOKEN"],
      headers: { "x-pipelines-run-id": "7" },
    });
    const [request] = agent.received;
    expect(request?.body).toMatchObject({ odyssey_proxy_url: "http://127.0.0.1/other" });
    expect(request?.body).not.toHaveProperty("run_id");
    expect(request?.body?.input).toEqual({
      task_id: expect.any(Number),
      messages: [{ role: "user", content: "before" }],
    });
    expect(request?.headers).not.toHaveProperty("x-pipelines-run-token");
    expect(request?.headers["x-pipelines-run-id"]).toBe("7");
  });

  it("pings with exactly the probe and the registered header", async () => {
    const platform = await platformOf();
    const agent = await agentOf(replyJson({ ok: true }));
    const result = await platform.ping(agent.url, { authHeader: { name: "Authorization", value: "Bearer inbound" } });
    expect(result).toEqual({ ok: true, status: 200, text: '{"ok":true}', errorClass: null });
    expect(agent.received[0]?.text).toBe('{"ping":true}');
    expect(agent.received[0]?.headers.authorization).toBe("Bearer inbound");
    expect(Object.keys(agent.received[0]?.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual([]);
  });

  it.each([
    ["a 204", 204, true, null],
    ["a 401", 401, false, "auth_failed"],
    ["a 400", 400, false, "agent_4xx"],
  ])("takes %s for the answer to a ping", async (_, code, ok, errorClass) => {
    const platform = await platformOf();
    const agent = await agentOf((response) => response.writeHead(code).end());
    expect(await platform.ping(agent.url)).toMatchObject({ ok, status: code, errorClass });
  });

  it("fails a ping that nothing answers", async () => {
    const platform = await platformOf();
    const silent = await agentOf(() => {});
    expect(await platform.ping(await refusedUrl())).toMatchObject({ ok: false, errorClass: "agent_unreachable" });
    expect(await platform.ping(silent.url, { timeoutMs: 50 })).toMatchObject({
      ok: false,
      errorClass: "agent_timeout",
    });
  });
});

describe("grading", () => {
  it.each([
    [301, "agent_bad_response"],
    [400, "agent_4xx"],
    [401, "auth_failed"],
    [403, "auth_failed"],
    [404, "agent_4xx"],
    [408, "agent_timeout"],
    [429, "agent_4xx"],
    [500, "agent_5xx"],
    [503, "agent_5xx"],
    [504, "agent_timeout"],
    [599, "agent_5xx"],
  ])("calls a %i %s, and the judge never sees it", async (code, errorClass) => {
    const result = await dispatched(replyJson({ final_response: "done" }, code));
    expect(result).toMatchObject({ status: code, errorClass, judged: false, answer: null });
  });

  it("keeps the first 500 characters of a failure", async () => {
    const result = await dispatched((response) => response.writeHead(500).end("x".repeat(600)));
    expect(result.detail).toBe("x".repeat(500));
  });

  it.each([
    ["no JSON", "done"],
    ["nothing", ""],
    ["a list", "[]"],
    ["no final_response", '{"answer":"done"}'],
    ["null for a final_response", '{"final_response":null}'],
    ["a message only, which is for turns", '{"message":"done"}'],
  ])("calls %s a bad response", async (_, text) => {
    const result = await dispatched((response) => response.end(text));
    expect(result).toMatchObject({ status: 200, errorClass: "agent_bad_response", judged: false });
  });

  it("calls a refused connection unreachable", async () => {
    const platform = await platformOf();
    const result = await platform.dispatch(platform.openRun(), await refusedUrl());
    expect(result).toMatchObject({ status: null, errorClass: "agent_unreachable", detail: "ECONNREFUSED" });
  });

  it("calls a connection that is lost in the reply unreachable", async () => {
    const result = await dispatched((response) => {
      response.writeHead(200, { "content-length": 100 }).write('{"final_response":"');
      response.socket?.destroySoon();
    });
    expect(result).toMatchObject({ status: null, errorClass: "agent_unreachable", detail: "ECONNRESET" });
  });

  it.each([
    ["no reply", () => {}],
    ["half a reply", (response) => response.writeHead(200).write("{")],
  ] satisfies readonly [string, AgentReply][])("calls %s in time a timeout", async (_, reply) => {
    expect(await dispatched(reply, { timeoutMs: 50 })).toMatchObject({ errorClass: "agent_timeout", judged: false });
  });

  it("judges a bare final_response, and says that the transcript is missing", async () => {
    const result = await dispatched(replyJson({ final_response: "done" }));
    expect(result).toMatchObject({ errorClass: null, judged: true, answer: "done", normalised: null, metadata: null });
    expect(codesOf(result)).toEqual(["messages_missing"]);
  });

  it("cuts a long final_response and warns", async () => {
    const messages = [{ role: "assistant", content: "done" }];
    const whole = await dispatched(replyJson({ final_response: "x".repeat(50_000), messages }));
    const cut = await dispatched(replyJson({ final_response: "x".repeat(50_001), messages }));
    expect([whole.answer?.length, codesOf(whole)]).toEqual([50_000, []]);
    expect([cut.answer?.length, codesOf(cut), cut.judged]).toEqual([50_000, ["final_response_truncated"], true]);
  });

  it("warns of a final_response without a character", async () => {
    const result = await dispatched(replyJson({ final_response: " ", messages: [] }));
    expect([codesOf(result), result.judged]).toEqual([["final_response_empty"], true]);
  });

  it.each([
    ["messages", { messages: "text" }, ["messages_malformed"]],
    ["a role", { messages: [{ role: "developer", content: "x" }] }, ["messages_malformed"]],
    ["content", { messages: [{ role: "user", content: 5 }] }, ["messages_malformed"]],
    ["a tool_call_id", { messages: [{ role: "tool", tool_call_id: null }] }, ["messages_malformed"]],
    ["tool_calls", { messages: [{ role: "assistant", tool_calls: null }] }, ["messages_malformed"]],
    ["thinking", { messages: [{ role: "assistant", thinking: ["text"] }] }, ["messages_malformed"]],
    ["a call id", { messages: [{ role: "assistant", tool_calls: [{ id: null, name: "a" }] }] }, ["messages_malformed"]],
    [
      "a call in both shapes",
      { messages: [{ role: "assistant", tool_calls: [{ name: "a", function: { name: "a" } }] }] },
      ["messages_malformed"],
    ],
    [
      "a nested call of another type",
      { messages: [{ role: "assistant", tool_calls: [{ type: "custom", function: { name: "a" } }] }] },
      ["messages_malformed"],
    ],
    ["metadata", { messages: [], metadata: ["list"] }, ["metadata_malformed"]],
    ["both", { messages: {}, metadata: "text" }, ["messages_malformed", "metadata_malformed"]],
  ])("74: malformed %s become null with a soft warning, and the run is still judged", async (_, fields, codes) => {
    const result = await dispatched(replyJson({ final_response: "done", ...fields }));
    expect(codesOf(result)).toEqual(codes);
    expect(result).toMatchObject({ errorClass: null, judged: true, answer: "done", metadata: null });
    expect(result.normalised).toEqual(codes.includes("messages_malformed") ? null : []);
  });

  it("81: with the guard on, malformed messages fail the run that has a good final_response", async () => {
    const messages = [{ role: "assistant", content: "done" }, { role: "developer" }];
    const reply = replyJson({ final_response: "done", messages });
    const [off, on] = [await dispatched(reply), await dispatched(reply, { responseContract: RICH })];
    expect([off.errorClass, on.errorClass]).toEqual([null, "response_contract_violation"]);
    expect(codesOf(on)).toEqual(["messages_malformed"]);
  });

  it.each([
    ["no messages", undefined],
    ["none in the list", []],
    ["no assistant", [{ role: "user", content: "done" }]],
    ["calls only", [{ role: "assistant", tool_calls: [{ id: "c1", name: "get_order" }] }]],
    ["spaces only", [{ role: "assistant", content: " \n" }]],
    ["an image only", [{ role: "assistant", content: [{ type: "image", text: "done" }] }]],
  ])("82: with the guard on and %s, the judge is skipped", async (_, messages) => {
    const reply = replyJson({ final_response: "done", messages });
    const result = await dispatched(reply, { responseContract: RICH });
    expect(result).toMatchObject({ status: 200, errorClass: "response_contract_violation", judged: false });
    expect((await dispatched(reply, { responseContract: null })).judged).toBe(true);
  });

  it.each([
    ["text", "done"],
    ["a text part", [{ type: "image" }, { type: "text", text: "done" }]],
  ])("judges with the guard on where an assistant gives %s", async (_, content) => {
    const messages = [{ role: "assistant", content }];
    const result = await dispatched(replyJson({ final_response: "done", messages }), { responseContract: RICH });
    expect(result).toMatchObject({ errorClass: null, judged: true, softWarnings: [] });
  });

  it("flattens nested calls, drops those without a name, and keeps unknown fields of messages", async () => {
    const tool_calls = [
      { id: "c1", type: "function", function: { name: "get_order", arguments: '{"id":1}' } },
      { id: "c2", name: "refund", arguments: { id: 1 }, type: "foreign", index: 0 },
      { function: { name: "bare" } },
      { id: "c3" },
      { function: { arguments: {} } },
      { name: 5 },
    ];
    const messages = [
      { role: "assistant", tool_calls, content: null, extra: 1 },
      { role: "tool", tool_call_id: "c1", content: "{}" },
    ];
    const result = await dispatched(replyJson({ final_response: "done", messages, metadata: { model: "m", own: 1 } }));
    expect(result.normalised).toEqual([
      {
        role: "assistant",
        tool_calls: [
          { id: "c1", name: "get_order", arguments: '{"id":1}' },
          { id: "c2", name: "refund", arguments: { id: 1 } },
          { name: "bare" },
        ],
        content: null,
        extra: 1,
      },
      { role: "tool", tool_call_id: "c1", content: "{}" },
    ]);
    expect(result.softWarnings).toEqual(
      [3, 4, 5].map((index) => ({ code: "tool_call_without_name", path: `messages[0].tool_calls[${index}]` })),
    );
    expect(result.metadata).toEqual({ model: "m", own: 1 });
  });

  it.each([
    ["no id", { role: "tool", content: "{}" }],
    ["an id of no call", { role: "tool", tool_call_id: "c9", content: "{}" }],
  ])("warns of a tool message with %s", async (_, message) => {
    const messages = [{ role: "assistant", tool_calls: [{ id: "c1", name: "a" }, { name: "b" }] }, message];
    const result = await dispatched(replyJson({ final_response: "done", messages }));
    expect(result.softWarnings).toEqual([{ code: "tool_call_id_unmatched", path: "messages[1].tool_call_id" }]);
    expect(result.judged).toBe(true);
  });
});

describe("a turn", () => {
  const messages = [{ role: "assistant", content: "Which order?" }];

  it("has its message, and may end the session", async () => {
    const reply = { message: "Which order?", session_done: true, metadata: { model: "m" }, messages };
    const result = await dispatched(replyJson(reply), { turn: true, responseContract: RICH });
    expect(result).toMatchObject({ answer: "Which order?", sessionDone: true, metadata: { model: "m" }, judged: true });
    expect([result.normalised, result.softWarnings]).toEqual([messages, []]);
  });

  it("85: final_response stands in for message, and message wins where both are there", async () => {
    const alias = await dispatched(replyJson({ final_response: "alias" }), { turn: true });
    const both = await dispatched(replyJson({ final_response: "alias", message: "primary" }), { turn: true });
    expect([alias.answer, alias.judged, alias.sessionDone]).toEqual(["alias", true, false]);
    expect(both.answer).toBe("primary");
  });

  it("fails without either", async () => {
    const result = await dispatched(replyJson({ session_done: true }), { turn: true });
    expect(result.errorClass).toBe("agent_bad_response");
  });

  it("fails with the guard on where its assistant message is missing", async () => {
    const result = await dispatched(replyJson({ message: "Which order?" }), { turn: true, responseContract: RICH });
    expect(result).toMatchObject({ errorClass: "response_contract_violation", judged: false });
  });

  it("goes on where session_done is not a boolean", async () => {
    const result = await dispatched(replyJson({ message: "More?", session_done: "yes", messages }), { turn: true });
    expect([result.sessionDone, codesOf(result)]).toEqual([false, ["session_done_malformed"]]);
  });
});

describe("closing", () => {
  it("cuts calls and dispatches that are under way", async () => {
    const platform = await startPlatform();
    const run = platform.openRun({ tools: { get_order: hang() } });
    const agent = await agentOf(() => {});
    const headers = { authorization: `Bearer ${run.runToken}` };
    const call = fetch(`${run.proxyUrl}/tools/get_order`, { method: "POST", headers, body: "{}" }).then(
      () => "answered",
      () => "cut",
    );
    const dispatch = platform.dispatch(run, agent.url);
    await expect.poll(() => run.calls.length + agent.received.length).toBe(2);
    await platform.close();
    expect(await call).toBe("cut");
    expect((await dispatch).errorClass).toBe("agent_unreachable");
  });
});
