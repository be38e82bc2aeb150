import { describe, expect, it } from "vitest";
import {
  createGuard,
  type Guard,
  type GuardOptions,
  type ModelResponse,
  type ResponseVerdict,
} from "../../src/guard/entry.js";
import { artifactOf } from "../support/guard-artifact.js";
import { HOSTILE_VALUES } from "../support/hostile-values.js";
import { bodyOf, type Call, type Reply, requestFor, WIRES, type Wire } from "../support/model-bodies.js";

const PACK = `
#== strict.yaml (with the required fields)
response_format_invariants: { finish_reason: tool_calls, content_when_tool_calls: empty, tool_calls_present: true }
#== quiet.yaml (with the required fields)
response_format_invariants: { content_when_tool_calls: empty }
#== present.yaml (with the required fields)
response_format_invariants: { tool_calls_present: true }
#== ended.yaml (with the required fields)
response_format_invariants: { finish_reason: stop }
#== lax.yaml (with the required fields)
response_format_invariants: { content_when_tool_calls: allowed, tool_calls_present: false }
#== free.yaml (with the required fields)
`;

function guardOf(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(PACK), options);
}

/** A verdict in a few words: the tools called in their order, or the reason with tool and field. */
function said(verdict: ResponseVerdict): string {
  if (verdict.kind === "allow") return `calls ${verdict.calls.map(({ tool }) => tool).join(", ") || "nothing"}`;
  return [verdict.reason, verdict.tool, verdict.field].filter((part) => part !== undefined).join(" ");
}

const call = (tool: string, id = `id_${tool}`): Call => ({ id, tool, args: { of: tool } });

/** Replies that every kind of body can say, and what is said of them. */
const TABLE: readonly (readonly [name: string, reply: Reply, asked: string | null, said: string])[] = [
  ["a call", { calls: [call("free")] }, null, "calls free"],
  [
    "several calls in their order",
    { calls: [call("free"), call("lax"), call("free", "id_2")] },
    null,
    "calls free, lax, free",
  ],
  ["a text alone", { text: "done" }, null, "calls nothing"],
  ["nothing at all", {}, null, "calls nothing"],
  ["text beside a call without a rule on it", { calls: [call("free")], text: "I will look" }, null, "calls free"],
  ["text beside a call that allows it", { calls: [call("lax")], text: "I will look" }, null, "calls lax"],
  [
    "text beside a call that does not",
    { calls: [call("quiet")], text: "I will look" },
    null,
    "response_format_violated quiet content_when_tool_calls",
  ],
  ["white space beside a call", { calls: [call("quiet")], text: " \n\t" }, null, "calls quiet"],
  [
    "text beside two calls, the second with a rule",
    { calls: [call("free"), call("quiet")], text: "so" },
    null,
    "response_format_violated quiet content_when_tool_calls",
  ],
  ["a call that keeps to all rules", { calls: [call("strict")] }, null, "calls strict"],
  ["a call of a tool without a contract", { calls: [call("unheard_of")] }, null, "calls unheard_of"],
  ["a tool that was asked for and called", { calls: [call("strict")] }, "strict", "calls strict"],
  ["a tool that was asked for, and a text", { text: "no" }, "strict", "response_format_violated strict finish_reason"],
  [
    "a tool that was asked for, and no call",
    { text: "no" },
    "present",
    "response_format_violated present tool_calls_present",
  ],
  ["a tool that was asked for, and another call", { calls: [call("free")] }, "present", "calls free"],
  [
    "a tool that was asked for, and another call with text",
    { calls: [call("free")], text: "so" },
    "quiet",
    "response_format_violated quiet content_when_tool_calls",
  ],
  ["a tool that was asked for, and text without a call", { text: "so" }, "quiet", "calls nothing"],
  ["an unknown tool that was asked for", { text: "so" }, "unheard_of", "calls nothing"],
  ["the end of a turn where it was asked for", { text: "so" }, "ended", "calls nothing"],
  [
    "a call that wants the end of a turn",
    { calls: [call("ended")] },
    null,
    "response_format_violated ended finish_reason",
  ],
  ["a refusal", { refusal: "I cannot help" }, null, "calls nothing"],
  [
    "a refusal of a tool that was asked for",
    { refusal: "I cannot help" },
    "present",
    "response_format_violated present tool_calls_present",
  ],
  ["two calls with one id", { calls: [call("free", "same"), call("lax", "same")] }, null, "response_unreadable"],
  ["a call with an empty id", { calls: [call("free", "")] }, null, "response_unreadable"],
  ["a call with an empty name", { calls: [{ id: "id_1", tool: "", args: {} }] }, null, "response_unreadable"],
  ["arguments that are a list", { calls: [{ id: "id_1", tool: "free", args: [1] }] }, null, "response_unreadable"],
  ["arguments that are null", { calls: [{ id: "id_1", tool: "free", args: null }] }, null, "response_unreadable"],
  [
    "one unreadable call among good ones",
    { calls: [call("free"), { id: "id_1", tool: "lax", args: "x" }] },
    null,
    "response_unreadable",
  ],
];

describe.each(WIRES)("checkResponse of %s", (wire) => {
  const provider = wire === "message" ? "anthropic" : "openai";
  const check = (guard: Guard, response: unknown, asked: string | null = null) =>
    guard.checkResponse({ provider, response, ...(asked === null ? {} : { request: requestFor(wire, asked) }) });

  it.each(TABLE)("judges %s", async (_, reply, asked, expected) => {
    const guard = await guardOf();
    const response = bodyOf(wire, reply);
    const verdict = check(guard, response, asked);
    expect(said(verdict)).toBe(expected);
    const parsed = JSON.parse(JSON.stringify(response));
    const request = asked === null ? {} : { request: requestFor(wire, asked) };
    expect(guard.checkResponse({ provider, response: parsed, ...request, parsed: true })).toEqual(verdict);
  });

  it("gives the calls with the id that a result must refer to, and copies of the arguments", async () => {
    const args = { order: { id: "4521" } };
    const body = bodyOf(wire, { calls: [{ id: "id_9", tool: "free", args }] });
    const verdict = check(await guardOf(), body);
    expect(verdict).toEqual({ kind: "allow", calls: [{ id: "id_9", tool: "free", args }] });
    if (verdict.kind === "allow") expect(verdict.calls[0]?.args.order).not.toBe(args.order);
  });

  it("says which field is broken, by which rule, what was found and what to do, but not the text", async () => {
    const verdict = check(await guardOf(), bodyOf(wire, { calls: [call("strict")], text: "the secret is 42" }));
    expect(verdict).toEqual({
      kind: "block",
      reason: "response_format_violated",
      message: "the model's response breaks the `response_format_invariants` of a tool",
      rule: { file: "strict.yaml", line: 1 },
      tool: "strict",
      field: "content_when_tool_calls",
      required: "no text besides the tool calls",
      found: "text",
      hint: "run nothing of this response; ask the model again for one with no text besides the tool calls",
    });
  });

  it("says what could not be read, and where, without the arguments", async () => {
    const verdict = check(await guardOf(), bodyOf(wire, { calls: [{ id: "id_1", tool: "free", args: ["a secret"] }] }));
    expect(verdict).toMatchObject({ kind: "block", reason: "response_unreadable", found: "another JSON value" });
    expect(JSON.stringify(verdict)).not.toContain("secret");
  });

  it("reports in shadow mode the verdict of enforce mode, and judges nothing in log-only mode", async () => {
    const broken = bodyOf(wire, { calls: [call("strict")], text: "so" });
    const unreadable = { nothing: "of the kind" };
    const [shadow, silent] = [await guardOf({ mode: "shadow" }), await guardOf({ mode: "log-only" })];
    expect(check(shadow, broken)).toMatchObject({
      kind: "allow",
      calls: [{ tool: "strict" }],
      would: { reason: "response_format_violated", field: "content_when_tool_calls" },
    });
    expect(check(shadow, unreadable)).toMatchObject({
      kind: "allow",
      calls: [],
      would: { reason: "response_unreadable" },
    });
    expect(check(silent, broken)).toEqual({
      kind: "allow",
      calls: [{ id: "id_strict", tool: "strict", args: { of: "strict" } }],
    });
    expect(check(silent, unreadable)).toEqual({ kind: "allow", calls: [] });
  });

  it.each(HOSTILE_VALUES)("blocks %s", async (_, response) => {
    expect(said(check(await guardOf(), response))).toBe("response_unreadable");
  });

  it.each(HOSTILE_VALUES)("refuses %s as the request", async (_, request) => {
    const guard = await guardOf();
    expect(() => guard.checkResponse({ provider, response: bodyOf(wire, {}), request })).toThrow(TypeError);
  });

  it("keeps names of the prototype in arguments as they are", async () => {
    const args: unknown = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": 1 }');
    const verdict = check(await guardOf(), bodyOf(wire, { calls: [{ id: "id_1", tool: "free", args }] }));
    if (verdict.kind !== "allow") throw new Error("blocked");
    expect(JSON.stringify(verdict.calls[0]?.args)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("does not propose anything", async () => {
    const guard = await guardOf();
    const before = guard.state();
    check(guard, bodyOf(wire, { calls: [call("free")] }));
    expect(guard.state()).toEqual(before);
  });
});

const GOOD_CALL = { id: "c1", type: "function", function: { name: "free", arguments: "{}" } };

function chat(message: unknown, finish: unknown = "tool_calls"): object {
  return { object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] };
}

function output(...items: readonly unknown[]): object {
  return { object: "response", status: "completed", output: items };
}

function content(...blocks: readonly unknown[]): object {
  return { type: "message", role: "assistant", stop_reason: "tool_use", content: blocks };
}

const FUNCTION_CALL = {
  type: "function_call",
  id: "fc_1",
  call_id: "c1",
  name: "free",
  arguments: "{}",
  status: "completed",
};

/** What only one kind of body can say. */
type Special = readonly [name: string, wire: Wire, body: unknown, said: string];

const SPECIAL: readonly Special[] = [
  ["no choices", "chat", { choices: [] }, "response_unreadable"],
  [
    "several choices",
    "chat",
    { choices: [1, 2].map((index) => ({ index, message: { content: "hi" } })) },
    "response_unreadable",
  ],
  ["neither choices nor output", "chat", { error: { message: "overloaded" } }, "response_unreadable"],
  ["choices and output", "chat", { ...chat({ tool_calls: [GOOD_CALL] }), output: [] }, "response_unreadable"],
  ["choices that are no list", "chat", { choices: { 0: {} } }, "response_unreadable"],
  ["a choice that is null", "chat", { choices: [null] }, "response_unreadable"],
  [
    "a piece of a stream",
    "chat",
    { object: "chat.completion.chunk", choices: [{ delta: { tool_calls: [GOOD_CALL] }, finish_reason: null }] },
    "response_unreadable",
  ],
  ["a message that is not finished", "chat", chat({ tool_calls: [GOOD_CALL] }, null), "response_unreadable"],
  ["no word on why it stopped", "chat", { choices: [{ message: { tool_calls: [GOOD_CALL] } }] }, "calls free"],
  [
    "no word on why it stopped, where one is asked for",
    "chat",
    { choices: [{ message: { tool_calls: [{ ...GOOD_CALL, function: { name: "strict", arguments: "{}" } }] } }] },
    "response_format_violated strict finish_reason",
  ],
  [
    "Anthropic's word for the same",
    "chat",
    chat({ tool_calls: [{ ...GOOD_CALL, function: { name: "strict", arguments: "{}" } }] }, "tool_use"),
    "calls strict",
  ],
  [
    "calls at the token limit",
    "chat",
    chat({ tool_calls: [{ ...GOOD_CALL, function: { name: "strict", arguments: "{}" } }] }, "length"),
    "response_format_violated strict finish_reason",
  ],
  ["an empty list of calls", "chat", chat({ content: "hi", tool_calls: [] }, "stop"), "calls nothing"],
  ["calls that are null", "chat", chat({ content: "hi", tool_calls: null }, "stop"), "calls nothing"],
  ["calls that are no list", "chat", chat({ tool_calls: GOOD_CALL }), "response_unreadable"],
  ["a call without a function", "chat", chat({ tool_calls: [{ id: "c1", type: "function" }] }), "response_unreadable"],
  [
    "a call without an id",
    "chat",
    chat({ tool_calls: [{ type: "function", function: GOOD_CALL.function }] }),
    "response_unreadable",
  ],
  ["a call without a type", "chat", chat({ tool_calls: [{ id: "c1", function: GOOD_CALL.function }] }), "calls free"],
  [
    "a text that is none beside a call",
    "chat",
    chat({ content: [{ type: "text", text: { value: "I will pay" } }], tool_calls: [GOOD_CALL] }),
    "response_unreadable",
  ],
  [
    "a piece of a stream beside a message",
    "chat",
    { choices: [{ message: { content: "hi" }, delta: { tool_calls: [GOOD_CALL] }, finish_reason: "stop" }] },
    "response_unreadable",
  ],
  [
    "a call of a custom tool",
    "chat",
    chat({ tool_calls: [{ id: "c1", type: "custom", custom: { name: "free", input: "{}" } }] }),
    "response_unreadable",
  ],
  [
    "a call of the old form",
    "chat",
    chat({ function_call: { name: "free", arguments: "{}" } }, "function_call"),
    "response_unreadable",
  ],
  ["an old form that is null", "chat", chat({ content: "hi", function_call: null }, "stop"), "calls nothing"],
  [
    "arguments that are empty",
    "chat",
    chat({ tool_calls: [{ ...GOOD_CALL, function: { name: "free", arguments: "" } }] }),
    "response_unreadable",
  ],
  [
    "arguments that were cut off",
    "chat",
    chat({ tool_calls: [{ ...GOOD_CALL, function: { name: "free", arguments: '{"a":' } }] }),
    "response_unreadable",
  ],
  [
    "arguments that are no text",
    "chat",
    chat({ tool_calls: [{ ...GOOD_CALL, function: { name: "free", arguments: {} } }] }),
    "response_unreadable",
  ],
  [
    "arguments nested too deep",
    "chat",
    chat({
      tool_calls: [
        { ...GOOD_CALL, function: { name: "free", arguments: `${'{"a":'.repeat(200)}1${"}".repeat(200)}` } },
      ],
    }),
    "response_unreadable",
  ],
  [
    "text in parts beside a call",
    "chat",
    chat({
      content: [{ type: "text", text: "so" }],
      tool_calls: [{ ...GOOD_CALL, function: { name: "quiet", arguments: "{}" } }],
    }),
    "response_format_violated quiet content_when_tool_calls",
  ],
  [
    "a refusal beside a call",
    "chat",
    chat({
      content: null,
      refusal: "no",
      tool_calls: [{ ...GOOD_CALL, function: { name: "quiet", arguments: "{}" } }],
    }),
    "response_format_violated quiet content_when_tool_calls",
  ],
  ["parts that are no objects", "chat", chat({ content: ["so"], tool_calls: [GOOD_CALL] }), "response_unreadable"],
  ["an output that is no list", "response", { output: "hi" }, "response_unreadable"],
  ["an item without a type", "response", output({ call_id: "c1" }), "response_unreadable"],
  [
    "searches that the provider ran",
    "response",
    output({ type: "web_search_call", id: "ws_1", status: "completed" }, { type: "file_search_call", id: "fs_1" }),
    "calls nothing",
  ],
  [
    "a search, reasoning and a call",
    "response",
    output({ type: "reasoning", summary: [] }, { type: "web_search_call", id: "ws_1" }, FUNCTION_CALL),
    "calls free",
  ],
  [
    "reasoning beside a call that wants no text",
    "response",
    output({ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] }, { ...FUNCTION_CALL, name: "quiet" }),
    "calls quiet",
  ],
  [
    "a call of a custom tool",
    "response",
    output({ type: "custom_tool_call", call_id: "c1", name: "free", input: "{}" }),
    "response_unreadable",
  ],
  [
    "a call of a custom tool without a call id",
    "response",
    output({ type: "custom_tool_call", id: "x", name: "free", input: "rm" }),
    "response_unreadable",
  ],
  ["a call of a kind that nobody knows", "response", output({ type: "teleport_call", id: "x" }), "response_unreadable"],
  ["a call that the provider runs", "response", output({ type: "web_search_call", id: "ws" }), "calls nothing"],
  [
    "a shell that the caller runs",
    "response",
    output({ type: "local_shell_call", call_id: "c1", action: { command: ["rm"] } }),
    "response_unreadable",
  ],
  [
    "a shell that the provider ran",
    "response",
    output({ type: "shell_call", call_id: "s1" }, { type: "shell_call_output", call_id: "s1" }),
    "calls nothing",
  ],
  [
    "a search for tools that the provider ran, and a call",
    "response",
    output(
      { type: "tool_search_call", id: "ts_1", execution: "server", call_id: null, arguments: {}, status: "completed" },
      { type: "tool_search_output", id: "to_1", execution: "server", call_id: null, tools: [], status: "completed" },
      FUNCTION_CALL,
    ),
    "calls free",
  ],
  [
    "a search for tools that the caller runs",
    "response",
    output({ type: "tool_search_call", id: "ts_1", execution: "client", call_id: "s1", arguments: {} }),
    "response_unreadable",
  ],
  ["a call without a call_id", "response", output({ ...FUNCTION_CALL, call_id: null }), "response_unreadable"],
  ["a call that was cut off", "response", output({ ...FUNCTION_CALL, status: "incomplete" }), "response_unreadable"],
  [
    "a whole call in a response that was cut off",
    "response",
    { ...output({ ...FUNCTION_CALL, name: "strict" }), status: "incomplete" },
    "calls strict",
  ],
  ["a response that is still being made", "response", { status: "in_progress", output: [] }, "response_unreadable"],
  [
    "a response that failed",
    "response",
    { status: "failed", error: { code: "server_error" }, output: [] },
    "response_unreadable",
  ],
  [
    "an event of a stream",
    "response",
    { type: "response.completed", response: output(FUNCTION_CALL) },
    "response_unreadable",
  ],
  ["no content", "message", { type: "message", stop_reason: "end_turn" }, "response_unreadable"],
  [
    "a content that is a text",
    "message",
    { type: "message", stop_reason: "end_turn", content: "hi" },
    "response_unreadable",
  ],
  ["an error", "message", { type: "error", error: { type: "overloaded_error" } }, "response_unreadable"],
  ["an event of a stream", "message", { type: "message_start", message: content() }, "response_unreadable"],
  ["a message that is not finished", "message", { ...content(), stop_reason: null }, "response_unreadable"],
  ["a block without a type", "message", content({ text: "hi" }), "response_unreadable"],
  ["a block that is null", "message", content(null), "response_unreadable"],
  [
    "a call in a kind of block that is not known",
    "message",
    content({ type: "tool_use_v2", id: "c1", name: "free", input: {} }),
    "response_unreadable",
  ],
  [
    "an input that is a text",
    "message",
    content({ type: "tool_use", id: "c1", name: "free", input: "{}" }),
    "response_unreadable",
  ],
  [
    "thinking beside a call that wants no text",
    "message",
    content(
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "tool_use", id: "c1", name: "quiet", input: {} },
    ),
    "calls quiet",
  ],
  [
    "a tool that the provider ran",
    "message",
    content(
      { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    ),
    "calls nothing",
  ],
  ["a refusal by its stop reason", "message", { ...content(), stop_reason: "refusal" }, "calls nothing"],
  [
    "OpenAI's word for the same",
    "message",
    { ...content({ type: "tool_use", id: "c1", name: "strict", input: {} }), stop_reason: "tool_calls" },
    "calls strict",
  ],
  [
    "a call at the token limit",
    "message",
    { ...content({ type: "tool_use", id: "c1", name: "strict", input: {} }), stop_reason: "max_tokens" },
    "response_format_violated strict finish_reason",
  ],
  ...["max_tokens", "model_context_window_exceeded", "refusal"].map(
    (stop): Special => [
      `a call that ${stop} cut off`,
      "message",
      { ...content({ type: "tool_use", id: "c1", name: "free", input: {} }), stop_reason: stop },
      "response_unreadable",
    ],
  ),
  [
    "a call at which one model gave way to the next",
    "message",
    content(
      { type: "tool_use", id: "c1", name: "free", input: {} },
      { type: "fallback", from: { model: "one" }, to: { model: "two" } },
      { type: "tool_use", id: "c2", name: "free", input: {} },
    ),
    "response_unreadable",
  ],
  [
    "a call of the model that took over",
    "message",
    content(
      { type: "text", text: "I" },
      { type: "fallback", from: { model: "one" }, to: { model: "two" } },
      { type: "tool_use", id: "c1", name: "free", input: {} },
    ),
    "calls free",
  ],
  [
    "a call before a text that was cut off",
    "message",
    {
      ...content({ type: "tool_use", id: "c1", name: "free", input: {} }, { type: "text", text: "and" }),
      stop_reason: "max_tokens",
    },
    "calls free",
  ],
];

describe("checkResponse", () => {
  it.each(SPECIAL)("judges %s in a body of kind %s", async (_, wire, response, expected) => {
    const provider = wire === "message" ? "anthropic" : "openai";
    expect(said((await guardOf()).checkResponse({ provider, response }))).toBe(expected);
  });

  it("keeps the calls of a message that was cut off where nothing is enforced", async () => {
    const response = { ...content({ type: "tool_use", id: "c1", name: "free", input: {} }), stop_reason: "max_tokens" };
    const [shadow, silent] = [await guardOf({ mode: "shadow" }), await guardOf({ mode: "log-only" })];
    const calls = [{ id: "c1", tool: "free", args: {} }];
    expect(shadow.checkResponse({ provider: "anthropic", response })).toMatchObject({
      calls,
      would: { reason: "response_unreadable" },
    });
    expect(silent.checkResponse({ provider: "anthropic", response })).toEqual({ kind: "allow", calls });
  });

  const openAiOnly = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "present" }] };
  it.each([
    ["openai", { tool_choice: { type: "function", function: { name: "present" } } }, true],
    ["openai", { tool_choice: { type: "function", name: "present" } }, true],
    ["openai", { tool_choice: { type: "custom", custom: { name: "present" } } }, true],
    ["openai", { tool_choice: openAiOnly }, true],
    [
      "openai",
      {
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "present" } }] },
        },
      },
      true,
    ],
    ["openai", { tool_choice: { ...openAiOnly, mode: "auto" } }, false],
    [
      "openai",
      { tool_choice: { ...openAiOnly, tools: [...openAiOnly.tools, { type: "function", name: "free" }] } },
      false,
    ],
    ["openai", { tool_choice: { ...openAiOnly, tools: [{ type: "web_search" }] } }, false],
    ["openai", { tool_choice: "required" }, false],
    ["openai", { tool_choice: "auto" }, false],
    ["openai", { tool_choice: null }, false],
    ["openai", { tool_choice: { type: "web_search_preview" } }, false],
    ["openai", { function_call: { name: "present" } }, true],
    ["openai", { function_call: "auto" }, false],
    ["anthropic", { tool_choice: { type: "tool", name: "present" } }, true],
    ["anthropic", { tool_choice: { type: "any" } }, false],
    ["anthropic", { tool_choice: { type: "auto" } }, false],
    ["anthropic", { tool_choice: { type: "none" } }, false],
    ["anthropic", {}, false],
  ] as const)("knows from a request to %s whether the tool was asked for: %j", async (provider, request, isAsked) => {
    const response = bodyOf(provider === "openai" ? "chat" : "message", { text: "no" });
    const verdict = (await guardOf()).checkResponse({ provider, response, request });
    expect(said(verdict)).toBe(isAsked ? "response_format_violated present tool_calls_present" : "calls nothing");
  });

  it.each([
    ["openai", { tool_choice: { type: "function" } }],
    ["openai", { tool_choice: { type: "function", function: { name: 5 } } }],
    ["openai", { tool_choice: { type: "allowed_tools", mode: "required" } }],
    ["openai", { tool_choice: {} }],
    ["openai", { tool_choice: 5 }],
    ["openai", { tool_choice: ["present"] }],
    ["anthropic", { tool_choice: "any" }],
    ["anthropic", { tool_choice: { type: "tool" } }],
    ["anthropic", { tool_choice: { name: "present" } }],
  ] as const)("refuses a request to %s that nobody can read: %j", async (provider, request) => {
    const guard = await guardOf();
    const response = bodyOf(provider === "openai" ? "chat" : "message", { text: "no" });
    expect(() => guard.checkResponse({ provider, response, request })).toThrow(TypeError);
  });

  it("refuses an unknown provider", async () => {
    const guard = await guardOf();
    const given: unknown = { provider: "google", response: {} };
    expect(() => guard.checkResponse(given as ModelResponse)).toThrow(
      new TypeError("`provider` must be openai or anthropic"),
    );
  });
});
