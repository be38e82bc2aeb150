import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { SessionReader } from "../../src/replay/formats/read-sessions.js";
import { mappedBy } from "../../src/replay/mapping/mapping.js";
import { type TracedSession, UnreadableTrace } from "../../src/replay/traced-session.js";

function read(...lines: readonly Json[]): readonly TracedSession[] {
  const reader = new SessionReader(null);
  return [...lines.flatMap((line) => reader.read(line)), ...reader.end()];
}

/** What is compared: tool, arguments, how it ended, and whether a step begins before it. */
function callsOf(session: TracedSession | undefined) {
  return session?.calls.map(({ tool, args, outcome, before }) => {
    const ended =
      outcome?.kind === "result" ? { output: outcome.output } : outcome === undefined ? {} : { ended: outcome.kind };
    return { tool, args, ...ended, steps: before.length };
  });
}

const QUOTE = { tool: "get_quote", args: { symbol: "ACME" }, output: { price: 5 } };

describe("sessions in the form of the documentation", () => {
  it("have their id, principal and labels", () => {
    const [session] = read({ id: 7, principal: { tier: "L2" }, labels: ["mnpi"], calls: [] });
    expect(session).toEqual({ id: "7", principal: { tier: "L2" }, labels: ["mnpi"], calls: [] });
  });

  it("have calls that ended with an output, with an error, or without a word", () => {
    const [session] = read({
      calls: [
        { tool: "a", arguments: { x: 1 }, output: null },
        { tool: "b", error: "Error: no such order" },
        { tool: "c", error: { status: 503, message: "busy" } },
        { tool: "d" },
        { tool: "e", error: { status: "503" } },
        { tool: "f", error: { status: "failed" } },
        { tool: "g", error: false, output: 1 },
        { tool: "h", error: "" },
      ],
    });
    expect(session?.calls.map(({ outcome }) => outcome)).toEqual([
      { kind: "result", output: null },
      expect.objectContaining({ kind: "error", answered: true, message: "Error: no such order" }),
      expect.objectContaining({ kind: "error", answered: undefined, status: 503 }),
      undefined,
      expect.objectContaining({ kind: "error", answered: undefined, status: 503 }),
      expect.objectContaining({ kind: "error", answered: true, status: undefined }),
      { kind: "result", output: 1 },
      undefined,
    ]);
  });

  it("have errors without a text where they are nested too deeply to be written", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as Json;
    const [session] = read({ calls: [{ tool: "a", error: deep }] });
    expect(session?.calls[0]?.outcome).toMatchObject({ kind: "error", answered: true, message: undefined });
  });

  it("may say of which type they are, also in a list", () => {
    const session = { type: "chat", role: "support", calls: [{ tool: "a" }] };
    expect(read(session)).toMatchObject([{ calls: [{ tool: "a" }] }]);
    expect(read([session, session])).toMatchObject([{ calls: [{ tool: "a" }] }, { calls: [{ tool: "a" }] }]);
    const messages = [{ role: "assistant", tool_calls: [{ name: "a" }] }];
    expect(read([{ type: "chat", messages }])).toMatchObject([{ calls: [{ tool: "a" }] }]);
  });

  it("begin a step where its number changes", () => {
    const calls = [{ step: 1 }, { step: 1 }, {}, { step: 2 }].map((step) => ({ tool: "a", ...step }));
    expect(callsOf(read({ calls })[0])?.map(({ steps }) => steps)).toEqual([1, 0, 0, 1]);
  });

  it("have times as numbers or texts", () => {
    const calls = [{ at: 1000 }, { at: "1970-01-01T00:00:02Z" }, {}].map((at) => ({ tool: "a", ...at }));
    expect(read({ calls })[0]?.calls.map(({ at }) => at)).toEqual([1000, 2000, null]);
  });

  it.each<[string, Json]>([
    ["calls[0] is no object", { calls: [1] }],
    ["calls[0].tool is no text", { calls: [{}] }],
    ["calls[0].args is not read", { calls: [{ tool: "a", args: { amount: 5 } }] }],
    ["calls[0].at is no time", { calls: [{ tool: "a", at: "yesterday" }] }],
    ["calls[0].at is no time", { calls: [{ tool: "a", at: "May 1 2026 (Z)" }] }],
    ["calls[0].at is no time", { calls: [{ tool: "a", at: Number.POSITIVE_INFINITY }] }],
    ["calls[0].at is no time", { calls: [{ tool: "a", at: 1e300 }] }],
    ["calls[0].at is no time", { calls: [{ tool: "a", at: "2026-02-30T00:00:00Z" }] }],
    ["`principal` is no object", { principal: "ann", calls: [] }],
    ["`principal` is no object", { principal: ["ann"], messages: [] }],
    ["labels is no list", { labels: "mnpi", calls: [] }],
    ["a list in it is not one of messages", [[[1]]]],
    [
      "the event of the record cannot be read: its `tool` is not text",
      { v: 1, n: 1, prev: "", session: "s", event: { kind: "reserved", callId: "c1", tool: 5, args: {} } },
    ],
    ["expected an object with `calls`", { id: 1 }],
    ["it is no object", 5],
  ])("say what is wrong: %s", (message, line) => {
    expect(() => read(line)).toThrow(UnreadableTrace);
    expect(() => read(line)).toThrow(message);
  });
});

describe("transcripts", () => {
  it("of chat completions", () => {
    const [session] = read({
      id: "chat",
      messages: [
        { role: "user", content: "price?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "get_quote", arguments: '{"symbol":"ACME"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: '{"price":5}' },
        { role: "assistant", content: "5" },
      ],
    });
    expect(session?.id).toBe("chat");
    expect(callsOf(session)).toEqual([{ ...QUOTE, steps: 1 }]);
  });

  it("of older chat completions, with one call a message and no ids", () => {
    const [session] = read([
      { role: "assistant", content: null, function_call: { name: "get_quote", arguments: '{"symbol":"ACME"}' } },
      { role: "function", name: "get_quote", content: '{"price":5}' },
    ]);
    expect(callsOf(session)).toEqual([{ ...QUOTE, steps: 1 }]);
  });

  it("with tools that take a text, or no arguments that a contract could judge", () => {
    const custom = { id: "c1", type: "custom", custom: { name: "run_code", input: '{"x":1}' } };
    const answer = { role: "tool", tool_call_id: "c1", content: "done" };
    const run = { tool: "run_code", args: '{"x":1}', output: "done" };
    expect(callsOf(read([{ role: "assistant", tool_calls: [custom] }, answer])[0])).toEqual([{ ...run, steps: 1 }]);
    const items = [
      { type: "custom_tool_call", call_id: "c1", name: "run_code", input: '{"x":1}' },
      { type: "custom_tool_call_output", call_id: "c1", output: "done" },
      { type: "shell_call", call_id: "c2", action: { commands: ["ls"] } },
      { type: "shell_call_output", call_id: "c2", output: "a b" },
      { type: "web_search_call", id: "w1", status: "completed" },
    ];
    expect(callsOf(read(items)[0])).toEqual([
      { ...run, steps: 1 },
      { tool: "shell_call", args: {}, output: "a b", steps: 1 },
    ]);
  });

  it("of messages with blocks", () => {
    const [session] = read([
      { role: "user", content: "price?" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_quote", input: { symbol: "ACME" } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: '{"price":5}' }] }],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "get_quote", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", is_error: true, content: "no symbol" }] },
    ]);
    expect(callsOf(session)).toEqual([
      { ...QUOTE, steps: 1 },
      { tool: "get_quote", args: {}, ended: "error", steps: 1 },
    ]);
  });

  it("of the responses API, as input and output, or as a list of items", () => {
    const call = { type: "function_call", call_id: "c1", name: "get_quote", arguments: '{"symbol":"ACME"}' };
    const result = { type: "function_call_output", call_id: "c1", output: '{"price":5}' };
    const later = { ...call, call_id: "c2" };
    const expected = [
      { ...QUOTE, steps: 1 },
      { tool: "get_quote", args: { symbol: "ACME" }, steps: 1 },
    ];
    expect(callsOf(read({ input: [{ role: "user", content: "?" }, call, result], output: [later] })[0])).toEqual(
      expected,
    );
    expect(callsOf(read([call, result, later])[0])).toEqual(expected);
  });

  it("of agents that answer with rich messages, with flat calls and results without an id", () => {
    const [session] = read({
      final_response: "5",
      messages: [
        { role: "assistant", tool_calls: [{ name: "get_quote", arguments: { symbol: "ACME" } }] },
        { role: "tool", content: '{"price":5}' },
      ],
    });
    expect(callsOf(session)).toEqual([{ ...QUOTE, steps: 1 }]);
    expect(callsOf(read({ final_response: "nothing was called" })[0])).toEqual([]);
  });

  it("keep arguments that are not JSON for the guard to refuse, and outputs that are plain texts", () => {
    const [session] = read([
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "a", arguments: "{ broken" } }] },
      { role: "tool", tool_call_id: "c1", content: "12" },
    ]);
    expect(callsOf(session)).toEqual([{ tool: "a", args: "{ broken", output: "12", steps: 1 }]);
  });

  it("have calls in whole messages of a provider, each a step", () => {
    const said = (id: string) => ({
      type: "message",
      role: "assistant",
      content: [{ type: "tool_use", id, name: "get_quote", input: { symbol: "ACME" } }],
    });
    const got = (id: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: '{"price":5}' }],
    });
    expect(callsOf(read([said("a"), got("a"), said("b"), got("b")])[0])).toEqual([
      { ...QUOTE, steps: 1 },
      { ...QUOTE, steps: 1 },
    ]);
  });

  it("have calls without an id, which the next result without one answers", () => {
    const call = { type: "function_call", name: "get_quote", arguments: '{"symbol":"ACME"}' };
    expect(callsOf(read([call])[0])).toEqual([{ tool: "get_quote", args: { symbol: "ACME" }, steps: 1 }]);
    expect(callsOf(read([{ ...call, role: "assistant" }])[0])).toEqual(callsOf(read([call])[0]));
    expect(callsOf(read([{ type: "shell_call", action: {} }])[0])).toEqual([
      { tool: "shell_call", args: {}, steps: 1 },
    ]);
    const use = { type: "tool_use", name: "get_quote", input: { symbol: "ACME" } };
    expect(callsOf(read([{ role: "assistant", content: [use] }])[0])).toEqual(callsOf(read([call])[0]));
  });

  it("leave out what is no call of the agent", () => {
    const blocks = ["text", "thinking", "image", "server_tool_use", "mcp_tool_use", "web_search_tool_result"];
    const message = { role: "assistant", content: [...blocks.map((type) => ({ type })), "text", { text: "text" }] };
    expect(callsOf(read([message])[0])).toEqual([]);
    expect(callsOf(read([{ type: "reasoning" }, { type: "mcp_call", name: "x" }])[0])).toEqual([]);
    expect(callsOf(read([{ role: "assistant", content: "", tool_calls: [], invalid_tool_calls: [] }])[0])).toEqual([]);
  });

  const name = "pay";
  it.each<[string, Json]>([
    ["messages[0].content[0] has the unknown type", { role: "assistant", content: [{ type: "tool-call", name }] }],
    ["messages[0].content[0] has no known type", { role: "assistant", content: [{ toolUse: { name } }] }],
    ["messages[0].content[0].toolUse may be a call", { role: "assistant", content: [{ text: "", toolUse: { name } }] }],
    ["messages[0].content[0] is no object", { role: "assistant", content: [7] }],
    ["messages[0].content is no list", { role: "assistant", content: { type: "tool_use", name } }],
    ["messages[0].content[0].name is no text", { role: "assistant", content: [{ type: "tool_use", id: "t1" }] }],
    ["messages[0].function_call is no object", { role: "assistant", function_call: "pay" }],
    ["messages[0].function_call.name is no text", { role: "assistant", function_call: { arguments: "{}" } }],
    [
      "messages[0].tool_calls[0].name is no text",
      { role: "assistant", tool_calls: [{ id: "c1", type: "mcp", mcp: {} }] },
    ],
    ["messages[0].tool_calls[0].args is not read", { role: "assistant", tool_calls: [{ id: "c1", name, args: {} }] }],
    ["messages[0].tool_calls is no list", { role: "assistant", tool_calls: { name } }],
    ["messages[0].toolCalls may be a call", { role: "assistant", content: "", toolCalls: [{ name }] }],
    ["messages[0].invalid_tool_calls may be a call", { role: "assistant", invalid_tool_calls: [{ name }] }],
    ["messages[0] has the unknown role", { role: "model", parts: [{ functionCall: { name } }] }],
    ["messages[0] has no known role", { choices: [{ message: { tool_calls: [{ function: { name } }] } }] }],
    ["messages[0] has the unknown type", { type: "ai", tool_calls: [{ name, args: {} }] }],
    ["messages[0] has the unknown type", { type: "item_reference", id: "fc_1" }],
    ["messages[0] has the unknown type", { type: "tool_use", call_id: "c1", name }],
    ["messages[0] is no object", "pay"],
  ])("say what may be a call and cannot be read: %s", (message, said) => {
    expect(() => read({ messages: [said] })).toThrow(message);
  });

  const unread = [{ id: "c1", function: { name, arguments: "{}" } }];
  it.each<[string, Json]>([
    ["messages[0].toolInvocations may be", { toolInvocations: [{ toolName: name, args: {} }] }],
    ["messages[0].additional_kwargs.tool_calls may be", { additional_kwargs: { tool_calls: unread } }],
    ["messages[0].blocks[1].block_type may be", { blocks: [{ text: "" }, { block_type: "tool_call" }] }],
    ["messages[0].items[0].content_type may be", { items: [{ content_type: "function_call", name }] }],
    ["messages[0].type may be", { type: "tool_use", id: "c1", name, input: {} }],
    ["messages[0].parts may be", { parts: [{ type: `tool-${name}` }] }],
  ])("say what may be a call in members that are not read: %s", (message, said) => {
    expect(() => read({ messages: [{ role: "assistant", content: "", ...(said as JsonObject) }] })).toThrow(message);
  });

  it.each<[string, JsonObject]>([
    ["response.choices[0].message.tool_calls may be", { response: { choices: [{ message: { tool_calls: unread } }] } }],
    ["choices[0].message.function_call may be", { choices: [{ message: { function_call: { name } } }] }],
    ["content[0].type may be", { content: [{ type: "tool_use", name, input: {} }] }],
    ["tool_calls may be", { tool_calls: unread }],
  ])("say what may be a call beside the messages of a line: %s", (message, rest) => {
    expect(() => read({ messages: [{ role: "user", content: "" }], ...rest })).toThrow(message);
    expect(() => read({ final_response: "", ...rest })).toThrow(message);
    expect(() => read({ input: [{ role: "user", content: "" }], output: "", ...rest })).toThrow(message);
  });

  it("leave out items beside messages only if they are no calls", () => {
    const messages = [{ role: "user", content: "" }];
    expect(() => read({ messages, output: [{ type: "function_call", name }] })).toThrow("output[0].type may be a call");
    expect(callsOf(read({ messages, output: [{ type: "message", content: "5" }] })[0])).toEqual([]);
  });

  it("may say more, of which nothing is a call", () => {
    const message = {
      role: "assistant",
      content: [{ type: "refusal", refusal: "no" }, { type: "computer_screenshot" }, { type: "video_url" }],
      annotations: [{ type: "url_citation", url_citation: {} }],
      reasoning_details: [{ type: "reasoning.text", text: "" }],
      usage: { server_tool_use: { web_search_requests: 1 } },
      finish_reason: "tool_calls",
      toolInvocations: [],
      function_call: null,
    };
    const tools = [{ type: "function", function: { name, parameters: {} } }];
    const task = { expected: { tool_calls: unread } };
    expect(callsOf(read({ messages: [message], tools, task, response: { choices: [] } })[0])).toEqual([]);
  });

  it("say which result has no call", () => {
    const line = { messages: [{ role: "tool", tool_call_id: "c9", content: "" }] };
    expect(() => read(line)).toThrow("messages[0] is the result of no call before it");
  });
});

describe("logs of another form", () => {
  const mapped = mappedBy({
    id: "$.run",
    principal: "$.user",
    labels: "$.tags",
    calls: "$.steps[?(@.kind=='tool')]",
    tool: "$.name",
    arguments: "$.input",
    output: "$.result",
    error: "$.failure",
    step: "$.turn",
    at: "$.time",
  });

  it("are read through paths", () => {
    const session = mapped({
      run: 3,
      user: { tier: "L1" },
      tags: ["mnpi"],
      steps: [
        { kind: "thought", text: "hm" },
        { kind: "tool", name: "get_quote", input: '{"symbol":"ACME"}', result: '{"price":5}', turn: 1, time: 9 },
        { kind: "tool", name: "get_quote", input: {}, failure: "no symbol", turn: 2 },
      ],
    });
    expect(session).toMatchObject({ id: "3", principal: { tier: "L1" }, labels: ["mnpi"] });
    expect(session.calls[0]?.at).toBe(9);
    expect(callsOf(session)).toEqual([
      { ...QUOTE, steps: 1 },
      { tool: "get_quote", args: {}, ended: "error", steps: 1 },
    ]);
  });

  it("have calls that succeeded where they say that there was no error", () => {
    const flagged = mappedBy({ calls: "$.calls[*]", tool: "$.name", output: "$.content", error: "$.is_error" });
    const calls = [false, "", true].map((is_error) => ({ name: "a", content: "b", is_error }));
    expect(flagged({ calls }).calls.map(({ outcome }) => outcome?.kind)).toEqual(["result", "result", "error"]);
  });

  it("say what a path does not find", () => {
    expect(() => mapped({ steps: [{ kind: "tool" }] })).toThrow("`tool` of call 1 is no text");
  });

  it("are lines that paths can read", () => {
    for (const line of [5, "{}", null, true]) expect(() => mapped(line)).toThrow("it is no object and no list");
  });

  it("run no code of theirs", () => {
    const hostile = mappedBy({ calls: "$.steps[?(process.exit(7))]", tool: "$.name" });
    expect(() => hostile({ steps: [{ name: "a" }] })).toThrow("cannot be evaluated");
  });
});
