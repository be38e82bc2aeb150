import { describe, expect, it } from "vitest";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";

const check = (...messages: readonly unknown[]) => checkAgentResponse({ final_response: "Done.", messages });
const checkCalls = (...tool_calls: readonly unknown[]) => check({ role: "assistant", tool_calls });
const checkCall = (call: unknown) => {
  const { body, softWarnings } = checkCalls(call);
  return { body, found: softWarnings.map(({ code, path }) => [code, path]) };
};
const withCalls = (...tool_calls: readonly unknown[]) => ({
  final_response: "Done.",
  messages: [{ role: "assistant", tool_calls }],
});

describe("messages", () => {
  it("stay as they are when they are well-formed, unknown keys included", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Where is it?" }], locale: "en" },
      {
        role: "assistant",
        thinking: [{ text: "Look it up." }],
        tool_calls: [{ id: "c1", name: "find", arguments: {} }],
      },
      { role: "tool", tool_call_id: "c1", content: "{}" },
      { role: "assistant", content: "On its way." },
    ];
    const body = { final_response: "On its way.", messages };
    expect(checkAgentResponse(body)).toEqual({ ok: true, violation: null, body, softWarnings: [] });
  });

  it.each([
    [
      "62: another role",
      { role: "developer" },
      "role",
      "`system`, `user`, `assistant` or `tool`, found another string",
    ],
    ["62: no role", { content: "x" }, "role", "`system`, `user`, `assistant` or `tool`, found nothing"],
    ["62: a number as role", { role: 5 }, "role", "`system`, `user`, `assistant` or `tool`, found a number"],
    ["63: an object as content", { role: "user", content: {} }, "content", "a string, a list or null, found an object"],
    ["63: a number as content", { role: "user", content: 5 }, "content", "a string, a list or null, found a number"],
    ["64: a number as tool_call_id", { role: "tool", tool_call_id: 5 }, "tool_call_id", "a string, found a number"],
    ["66: an object as tool_calls", { role: "assistant", tool_calls: {} }, "tool_calls", "a list, found an object"],
    [
      "70: an object as thinking",
      { role: "assistant", thinking: {} },
      "thinking",
      "a list of objects, found an object",
    ],
    [
      "70: a string in thinking",
      { role: "assistant", thinking: [{}, "Hm."] },
      "thinking[1]",
      "an object, found a string",
    ],
  ])("%s costs the whole transcript, with one soft warning that tells where", (_, message, place, words) => {
    expect(check({ role: "user", content: "x" }, message)).toEqual({
      ok: true,
      violation: null,
      body: { final_response: "Done.", messages: null },
      softWarnings: [
        {
          code: "malformed_messages",
          path: `$.messages[1].${place}`,
          message: `expected ${words}; all messages are dropped`,
        },
      ],
    });
  });

  it("that are no objects cost the whole transcript too, and are counted", () => {
    expect(check("hello", null, { role: "user" }).softWarnings).toEqual([
      {
        code: "malformed_messages",
        path: "$.messages[0]",
        message: "expected an object, found a string; all messages are dropped, 2 of them break the schema",
      },
    ]);
  });

  it("63: may have a string, a list or null as content; null is left out", () => {
    const { ok, body, softWarnings } = check(
      { role: "user", content: "x" },
      { role: "user", content: [5] },
      { role: "assistant", content: null },
    );
    expect([ok, softWarnings]).toEqual([true, []]);
    expect(body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "user", content: [5] },
      { role: "assistant" },
    ]);
    expect(JSON.stringify(body)).not.toContain("null");
  });

  it.each(["tool_call_id", "tool_calls", "thinking"])("lose %s when it is null, with a soft warning", (field) => {
    const { body, softWarnings } = check({ role: "assistant", content: "x", [field]: null });
    expect(body.messages).toEqual([{ role: "assistant", content: "x" }]);
    expect(JSON.stringify(body)).not.toContain("null");
    expect(softWarnings).toMatchObject([{ code: "null_field", path: `$.messages[0].${field}` }]);
  });

  it("keep null under unknown keys", () => {
    const message = { role: "assistant", content: "x", refusal: null };
    expect(check(message)).toMatchObject({ body: { messages: [message] }, softWarnings: [] });
  });
});

describe("tool messages", () => {
  const call = { role: "assistant", tool_calls: [{ id: "c1", name: "find" }] };

  it("64: answer a call of an assistant message", () => {
    expect(check(call, { role: "tool", tool_call_id: "c1", content: "{}" }).softWarnings).toEqual([]);
  });

  it("64: give a soft warning without tool_call_id", () => {
    const { ok, softWarnings } = check(call, { role: "tool", content: "{}" });
    expect([ok, softWarnings]).toMatchObject([
      true,
      [{ code: "missing_tool_call_id", path: "$.messages[1].tool_call_id" }],
    ]);
  });

  it.each([
    ["of nobody", call, "c2"],
    ["of a user", { ...call, role: "user" }, "c1"],
  ])("64: give a soft warning when they answer a call %s", (_, caller, id) => {
    const { ok, softWarnings } = check(caller, { role: "tool", tool_call_id: id, content: "{}" });
    expect(ok).toBe(true);
    expect(softWarnings.at(-1)).toMatchObject({ code: "unknown_tool_call_id", path: "$.messages[1].tool_call_id" });
  });

  it("64: may answer a call that came in the nested shape", () => {
    const nested = { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "find" } }] };
    expect(check(nested, { role: "tool", tool_call_id: "c1" }).softWarnings).toEqual([]);
  });

  it.each(["system", "user", "tool"])("65: calls on a %s message give a soft warning", (role) => {
    const { ok, softWarnings } = check({ role, tool_call_id: "c1", tool_calls: [{ id: "c1", name: "find" }] });
    expect(ok).toBe(true);
    expect(softWarnings[0]).toMatchObject({ code: "misplaced_tool_calls", path: "$.messages[0].tool_calls" });
  });
});

describe("tool calls", () => {
  it.each([
    [
      "66: nested with type",
      { id: "c1", type: "function", function: { name: "find", arguments: '{"a":1}' } },
      { id: "c1", name: "find", arguments: '{"a":1}' },
    ],
    [
      "66: nested without type",
      { function: { name: "find", arguments: { a: 1 } } },
      { name: "find", arguments: { a: 1 } },
    ],
    ["66: nested with no arguments", { id: "c1", function: { name: "find" } }, { id: "c1", name: "find" }],
    ["66: nested with null as arguments", { function: { name: "find", arguments: null } }, { name: "find" }],
    ["66: flat", { id: "c1", name: "find", arguments: {} }, { id: "c1", name: "find", arguments: {} }],
    ["66: flat with null as arguments", { name: "find", arguments: null }, { name: "find" }],
    ["66: flat with another type", { name: "find", type: "custom" }, { name: "find", type: "custom" }],
    ["66: flat with null as function", { name: "find", function: null }, { name: "find" }],
    [
      "66: nested with keys that nobody knows",
      { function: { name: "find", strict: true, index: 9 }, index: 0, type: "function" },
      { name: "find", strict: true, index: 0 },
    ],
    [
      "66: nested beside arguments of no meaning",
      { function: { name: "find", arguments: { a: 1 } }, arguments: { b: 2 } },
      { name: "find", arguments: { a: 1 } },
    ],
    ["68: arguments as an object", { name: "find", arguments: { a: [1] } }, { name: "find", arguments: { a: [1] } }],
    ["68: arguments as JSON text", { name: "find", arguments: '{"a":[1]}' }, { name: "find", arguments: '{"a":[1]}' }],
  ])("%s become flat without a warning", (_, call, flat) => {
    expect(checkCall(call)).toEqual({ body: withCalls(flat), found: [] });
  });

  it.each([
    ["a list", [1], "arguments"],
    ["a number", 5, "arguments"],
    ["text that is not JSON", "a=1", "arguments"],
    ["an empty text", "", "arguments"],
    ["JSON text of a list", "[1]", "arguments"],
  ])("68: with %s as arguments give a soft warning and are kept", (_, given, place) => {
    expect(checkCall({ name: "find", [place]: given })).toEqual({
      body: withCalls({ name: "find", arguments: given }),
      found: [["unreadable_arguments", "$.messages[0].tool_calls[0].arguments"]],
    });
  });

  it("68: with unreadable arguments in the nested shape are reported at their own place", () => {
    expect(checkCall({ function: { name: "find", arguments: 5 } }).found).toEqual([
      ["unreadable_arguments", "$.messages[0].tool_calls[0].function.arguments"],
    ]);
  });

  it.each([
    ["nothing but an id", { id: "c1" }],
    ["a function without a name", { id: "c1", type: "function", function: { arguments: "{}" } }],
    ["a number as name", { name: 5 }],
    ["a number as name at both levels", { name: 5, function: { name: 6 } }],
    ["null as function", { function: null }],
    ["a string instead of a call", "find"],
    ["null instead of a call", null],
    ["a list instead of a call", ["find"]],
  ])("67: with %s are dropped with a soft warning, and the others stay", (_, call) => {
    const { ok, body, softWarnings } = checkCalls(call, { name: "find" });
    expect([ok, body]).toEqual([true, withCalls({ name: "find" })]);
    expect(softWarnings).toMatchObject([{ code: "nameless_tool_call", path: "$.messages[0].tool_calls[0]" }]);
  });

  it("67: leave no empty list behind when all of them are dropped", () => {
    expect(checkCalls({ id: "c1" }).body.messages).toEqual([{ role: "assistant" }]);
    expect(checkCalls().body.messages).toEqual([{ role: "assistant" }]);
  });

  it("with an empty name are kept with a soft warning", () => {
    expect(checkCall({ name: "" })).toEqual({
      body: withCalls({ name: "" }),
      found: [["empty_tool_name", "$.messages[0].tool_calls[0]"]],
    });
  });

  it.each([
    [
      "a function",
      { name: "find", function: { name: "seek", arguments: { a: 1 } } },
      { name: "find", arguments: { a: 1 } },
    ],
    ["a nested call", { name: "find", arguments: {}, type: "function", function: {} }, { name: "find", arguments: {} }],
    ["a text as function", { name: "find", function: "seek" }, { name: "find" }],
  ])("69: never come out with both a name and %s", (_, call, flat) => {
    expect(checkCall(call)).toEqual({
      body: withCalls(flat),
      found: [["hybrid_tool_call", "$.messages[0].tool_calls[0]"]],
    });
  });

  it("69: have no function even where the function holds one", () => {
    const nested = { name: "find", function: { name: "seek" }, id: "x", type: "y" };
    expect(checkCall({ function: nested }).body).toEqual(withCalls({ name: "find" }));
  });

  it("of another type become flat with a soft warning", () => {
    expect(checkCall({ type: "custom", function: { name: "find" } })).toEqual({
      body: withCalls({ name: "find" }),
      found: [["foreign_call_type", "$.messages[0].tool_calls[0].type"]],
    });
  });

  it("lose an id that is null, with a soft warning", () => {
    expect(checkCall({ id: null, name: "find" })).toEqual({
      body: withCalls({ name: "find" }),
      found: [["null_field", "$.messages[0].tool_calls[0].id"]],
    });
  });

  it("with a number as id cost the whole transcript, reported by the place in the given list", () => {
    const { body, softWarnings } = checkCalls({ id: "nameless" }, { name: "find", id: 5 });
    expect(body).toEqual({ final_response: "Done.", messages: null });
    expect(softWarnings.map(({ code, path }) => [code, path])).toEqual([
      ["nameless_tool_call", "$.messages[0].tool_calls[0]"],
      ["malformed_messages", "$.messages[0].tool_calls[1].id"],
    ]);
  });
});
