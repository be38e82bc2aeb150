import { describe, expect, it } from "vitest";
import { createGuard, type Guard, type GuardOptions, type ModelRequest } from "../../src/guard/entry.js";
import { artifactOf } from "../support/guard-artifact.js";
import { HOSTILE_VALUES } from "../support/hostile-values.js";

const PACK = `
#== session.yaml (with the required fields)
provider_constraints:
  anthropic:
    block_incompatible:
      - "tool_choice.type=any + thinking"
      - "claude-opus-4 + top_k"
  openai:
    block_incompatible:
      - "stream_options.include_usage=false + stream"
      - "n=2"
      - "tools.0.type=web_search"
      - "user=null"
    warn_incompatible:
      - "parallel_tool_calls=false + gpt-4o-mini"
    warn_floating_alias: true
#== look.yaml (with the required fields)
`;

function guardOf(options: GuardOptions = {}, pack = PACK): Promise<Guard> {
  return createGuard(artifactOf(pack), options);
}

const THINKING = { type: "enabled", budget_tokens: 2048 };
const DATED = "gpt-4o-2024-08-06";

/** What the pattern, or null for an allowed request, says of a body. */
const TABLE: readonly (readonly [
  name: string,
  provider: "openai" | "anthropic",
  request: object,
  pattern: string | null,
])[] = [
  [
    "all terms match",
    "anthropic",
    { tool_choice: { type: "any" }, thinking: THINKING },
    "tool_choice.type=any + thinking",
  ],
  ["one term does not", "anthropic", { tool_choice: { type: "auto" }, thinking: THINKING }, null],
  ["a field that is absent", "anthropic", { tool_choice: { type: "any" } }, null],
  ["a field that is null", "anthropic", { tool_choice: { type: "any" }, thinking: null }, null],
  ["a field that is false", "anthropic", { tool_choice: { type: "any" }, thinking: false }, null],
  ["a field that is disabled", "anthropic", { tool_choice: { type: "any" }, thinking: { type: "disabled" } }, null],
  [
    "a field that is disabled and yet more",
    "anthropic",
    { tool_choice: { type: "any" }, thinking: { type: "disabled", budget_tokens: 1 } },
    "tool_choice.type=any + thinking",
  ],
  ["a field that is 0", "anthropic", { tool_choice: { type: "any" }, thinking: 0 }, "tool_choice.type=any + thinking"],
  [
    "a field that is empty",
    "anthropic",
    { tool_choice: { type: "any" }, thinking: "" },
    "tool_choice.type=any + thinking",
  ],
  ["the model itself", "anthropic", { model: "claude-opus-4", top_k: 5 }, "claude-opus-4 + top_k"],
  ["the model with a date", "anthropic", { model: "claude-opus-4-20250514", top_k: 5 }, "claude-opus-4 + top_k"],
  [
    "the model with dashes in its date",
    "anthropic",
    { model: "claude-opus-4-2025-05-14", top_k: 5 },
    "claude-opus-4 + top_k",
  ],
  ["the latest of the model", "anthropic", { model: "claude-opus-4-latest", top_k: 5 }, "claude-opus-4 + top_k"],
  ["another version of the model", "anthropic", { model: "claude-opus-4-1", top_k: 5 }, null],
  ["another version with a date", "anthropic", { model: "claude-opus-4-1-20250805", top_k: 5 }, null],
  ["a model that begins alike", "anthropic", { model: "claude-opus-45", top_k: 5 }, null],
  ["no model", "anthropic", { top_k: 5 }, null],
  [
    "false for false",
    "openai",
    { model: DATED, stream: true, stream_options: { include_usage: false } },
    "stream_options.include_usage=false + stream",
  ],
  [
    "the text false for false",
    "openai",
    { model: DATED, stream: true, stream_options: { include_usage: "false" } },
    "stream_options.include_usage=false + stream",
  ],
  ["an absent member for false", "openai", { model: DATED, stream: true, stream_options: {} }, null],
  ["null for false", "openai", { model: DATED, stream: true, stream_options: { include_usage: null } }, null],
  ["a number", "openai", { model: DATED, n: 2 }, "n=2"],
  ["a number spelt otherwise", "openai", JSON.parse(`{ "model": "${DATED}", "n": 2.0 }`), "n=2"],
  ["the text of a number", "openai", { model: DATED, n: "2" }, "n=2"],
  ["another number", "openai", { model: DATED, n: 3 }, null],
  ["a list for a number", "openai", { model: DATED, n: [2] }, null],
  ["null for null", "openai", { model: DATED, user: null }, "user=null"],
  ["the text null for null", "openai", { model: DATED, user: "null" }, "user=null"],
  ["an absent member for null", "openai", { model: DATED }, null],
  ["an item of a list", "openai", { model: DATED, tools: [{ type: "web_search" }] }, "tools.0.type=web_search"],
  ["another item of a list", "openai", { model: DATED, tools: [{ type: "function" }, { type: "web_search" }] }, null],
  [
    "a pattern of the other provider",
    "openai",
    { model: DATED, tool_choice: { type: "any" }, thinking: THINKING },
    null,
  ],
  ["a responses body", "openai", { model: DATED, input: "hi", n: 2 }, "n=2"],
];

describe("checkRequest", () => {
  it.each(TABLE)("judges %s", async (_, provider, request, pattern) => {
    const guard = await guardOf();
    const verdict = guard.checkRequest({ provider, request });
    const parsed = JSON.parse(JSON.stringify(request));
    expect(guard.checkRequest({ provider, request: parsed, parsed: true })).toEqual(verdict);
    if (pattern === null) expect(verdict).toEqual({ kind: "allow", warnings: [] });
    else expect(verdict).toMatchObject({ kind: "block", reason: "provider_incompatible", pattern });
  });

  it.each([
    ["is too deep", "[".repeat(200) + "]".repeat(200)],
    ["has a number beyond all doubles", "1e999"],
    ["has too many values", JSON.stringify(Array.from({ length: 1_100_000 }, () => 0))],
  ])("refuses a parsed body that %s, as any other", async (_, text) => {
    const guard = await guardOf();
    const request = JSON.parse(`{"a":${text}}`);
    expect(() => guard.checkRequest({ provider: "openai", request, parsed: true })).toThrow(TypeError);
  });

  it("says by which rule, what matched and what to do", async () => {
    const request = {
      tool_choice: { type: "any" },
      thinking: THINKING,
      messages: [{ role: "user", content: "secret" }],
    };
    const verdict = (await guardOf()).checkRequest({ provider: "anthropic", request });
    expect(verdict).toEqual({
      kind: "block",
      reason: "provider_incompatible",
      message: "the request has a combination that the session's `provider_constraints` block",
      rule: { file: "session.yaml", line: 4 },
      pattern: "tool_choice.type=any + thinking",
      required: "a request that does not match `tool_choice.type=any + thinking`",
      found: "tool_choice.type is any, thinking is set",
      hint: "change the request so that one of these no longer holds: tool_choice.type is any, thinking is set",
    });
  });

  it("warns of patterns that only warn", async () => {
    const request = { model: "gpt-4o-mini-2024-07-18", parallel_tool_calls: false };
    expect((await guardOf()).checkRequest({ provider: "openai", request })).toEqual({
      kind: "allow",
      warnings: [
        {
          code: "provider_warning",
          pattern: "parallel_tool_calls=false + gpt-4o-mini",
          message:
            'the request matches `parallel_tool_calls=false + gpt-4o-mini`: parallel_tool_calls is false, the model is "gpt-4o-mini-2024-07-18"',
          rule: { file: "session.yaml", line: 13 },
        },
      ],
    });
  });

  it.each([
    ["gpt-4o", true],
    ["gpt-4o-2024-08-06", false],
    ["gpt-4o-latest", true],
    ["chatgpt-4o-latest-2024-08-06", true],
    ["claude-sonnet-4-5-20250929", false],
    ["ft:gpt-4o-mini-2024-07-18:acme::abc", false],
    ["gpt-4-0613", true],
    ["model-123456789", true],
  ])("tells of %s as a floating name: %s", async (model, isTold) => {
    const verdict = (await guardOf()).checkRequest({ provider: "openai", request: { model } });
    const rule = { file: "session.yaml", line: 14 };
    expect(verdict).toMatchObject({ kind: "allow", warnings: isTold ? [{ code: "floating_alias", rule }] : [] });
  });

  it("does not warn of floating names unless configured, nor of requests without a model", async () => {
    const guard = await guardOf();
    expect(guard.checkRequest({ provider: "anthropic", request: { model: "claude-opus-4" } })).toEqual({
      kind: "allow",
      warnings: [],
    });
    expect(guard.checkRequest({ provider: "openai", request: { input: "hi" } })).toEqual({
      kind: "allow",
      warnings: [],
    });
  });

  it("allows everything to a provider without a block", async () => {
    const guard = await guardOf({}, "#== look.yaml (with the required fields)");
    const request = { tool_choice: { type: "any" }, thinking: THINKING };
    expect(guard.checkRequest({ provider: "anthropic", request })).toEqual({ kind: "allow", warnings: [] });
  });

  it("reports in shadow mode the verdict of enforce mode, and judges nothing in log-only mode", async () => {
    const request = { model: "gpt-4o", n: 2 };
    const shadow = (await guardOf({ mode: "shadow" })).checkRequest({ provider: "openai", request });
    expect(shadow).toMatchObject({
      kind: "allow",
      warnings: [{ code: "floating_alias" }],
      would: { kind: "block", reason: "provider_incompatible", pattern: "n=2" },
    });
    const silent = (await guardOf({ mode: "log-only" })).checkRequest({ provider: "openai", request });
    expect(silent).toEqual({ kind: "allow", warnings: [] });
  });

  it.each(["mistral", "OpenAI", "", "__proto__", null, undefined, ["openai"]])(
    "refuses the provider %j",
    async (provider) => {
      const guard = await guardOf();
      const given: unknown = { provider, request: {} };
      expect(() => guard.checkRequest(given as ModelRequest)).toThrow(
        new TypeError("`provider` must be openai or anthropic"),
      );
    },
  );

  it.each(HOSTILE_VALUES)("refuses %s as a request, in every mode", async (_, request) => {
    for (const mode of ["enforce", "shadow", "log-only"] as const) {
      const guard = await guardOf({ mode });
      expect(() => guard.checkRequest({ provider: "openai", request })).toThrow(TypeError);
      expect(() => guard.checkRequest({ provider: "openai", request })).toThrow(
        /^`request` must be the body of a request/,
      );
    }
  });

  it("refuses a model that is no name: a pattern could not be held against it", async () => {
    const guard = await guardOf();
    expect(() => guard.checkRequest({ provider: "openai", request: { model: ["gpt-4o-mini"] } })).toThrow(TypeError);
  });

  it("reads own members only", async () => {
    const pack = `
#== session.yaml (with the required fields)
provider_constraints: { openai: { block_incompatible: ["constructor.name=Object", "__proto__.x=1", "toString-1 + __proto__-2"] } }
#== look.yaml (with the required fields)
`;
    const guard = await guardOf({}, pack);
    expect(guard.checkRequest({ provider: "openai", request: {} }).kind).toBe("allow");
    const request: unknown = JSON.parse('{ "__proto__": { "x": 1 } }');
    expect(guard.checkRequest({ provider: "openai", request })).toMatchObject({
      kind: "block",
      pattern: "__proto__.x=1",
    });
  });

  it("changes nothing: not the request, not the session", async () => {
    const guard = await guardOf();
    const before = guard.state();
    const request = Object.freeze({ model: "gpt-4o", n: 2 });
    guard.checkRequest({ provider: "openai", request });
    expect(guard.state()).toEqual(before);
  });
});

describe("what checkRequest hands out", () => {
  it("is a copy: changing it changes no other verdict", async () => {
    const blocked = { provider: "openai", request: { model: DATED, n: 2 } } as const;
    const warned = { provider: "openai", request: { model: "gpt-4o-mini", parallel_tool_calls: false } } as const;
    const guard = await guardOf();
    const before = [guard.checkRequest(blocked), guard.checkRequest(warned)];
    const forge = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if ("file" in value) Reflect.set(value, "file", "forged");
      for (const part of Object.values(value)) forge(part);
    };
    const told = structuredClone(before);
    forge(before);
    const other = await guardOf();
    for (const { checkRequest } of [guard, other].map((one) => ({ checkRequest: one.checkRequest.bind(one) }))) {
      expect([checkRequest(blocked), checkRequest(warned)]).toEqual(told);
    }
  });

  it("gets a message that says what to give", async () => {
    const guard = await guardOf();
    expect(() => Reflect.apply(guard.checkRequest, guard, [undefined])).toThrow("give an object with `provider`");
  });
});
