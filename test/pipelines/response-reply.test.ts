import { describe, expect, it } from "vitest";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";

const codesOf = (body: unknown) => checkAgentResponse(body).softWarnings.map(({ code }) => code);

describe("the answer of a reply", () => {
  it.each([
    ["a number", 5],
    ["a boolean", true],
    ["a list", ["Done."]],
    ["an object", { text: "Done." }],
    ["null", null],
    ["nothing", undefined],
  ])("57: must be a string, not %s", (found, final_response) => {
    expect(checkAgentResponse({ final_response })).toMatchObject({
      ok: false,
      softWarnings: [
        { code: "missing_final_response", path: "$.final_response", message: `expected a string, found ${found}` },
      ],
    });
  });

  it.each(["", "   ", "\n\t\u00a0"])(
    "58: gives a soft warning when it is empty, as %j is, and stays as it is",
    (text) => {
      expect(checkAgentResponse({ final_response: text })).toMatchObject({
        ok: true,
        body: { final_response: text },
        softWarnings: [{ code: "empty_answer", path: "$.final_response" }],
      });
    },
  );

  it("59: is enough for a reply", () => {
    expect(checkAgentResponse({ final_response: "Your parcel is on its way." })).toEqual({
      ok: true,
      violation: null,
      body: { final_response: "Your parcel is on its way." },
      softWarnings: [],
    });
  });

  it("73: may exceed 50,000 characters, which gives a soft warning and cuts nothing", () => {
    const final_response = "x".repeat(50_001);
    const { ok, body, softWarnings } = checkAgentResponse({ final_response });
    expect([ok, body]).toEqual([true, { final_response }]);
    expect(softWarnings).toMatchObject([{ code: "long_answer", path: "$.final_response" }]);
  });

  it("73: gives no warning at 50,000 characters", () => {
    expect(codesOf({ final_response: "x".repeat(50_000) })).toEqual([]);
  });
});

describe("the optional parts of a reply", () => {
  it.each([
    ["absent", { final_response: "Done." }],
    ["null", { final_response: "Done.", messages: null, metadata: null }],
    ["undefined", { final_response: "Done.", messages: undefined, metadata: undefined }],
  ])("61: may be %s, and are then left out", (_, body) => {
    const checked = checkAgentResponse(body);
    expect(checked).toEqual({ ok: true, violation: null, body: { final_response: "Done." }, softWarnings: [] });
    expect(Object.keys(checked.body)).toEqual(["final_response"]);
  });

  it("72: keep unknown keys, at the top and in metadata", () => {
    const body = { trace_id: "t1", final_response: "Done.", metadata: { model: "m", region: { zone: 1 }, note: null } };
    expect(checkAgentResponse(body)).toEqual({ ok: true, violation: null, body, softWarnings: [] });
  });

  it.each([["twelve"], [1.5], [[12]], [true]])(
    "71: give a soft warning for %j as a token count, and keep it",
    (count) => {
      const body = { final_response: "Done.", metadata: { total_input_tokens: count, total_output_tokens: 3 } };
      const checked = checkAgentResponse(body);
      expect([checked.ok, checked.body]).toEqual([true, body]);
      expect(checked.softWarnings).toMatchObject([
        { code: "token_count_not_integer", path: "$.metadata.total_input_tokens" },
      ]);
    },
  );

  it("71: give no warning for integers", () => {
    expect(codesOf({ final_response: "Done.", metadata: { total_input_tokens: 0, total_output_tokens: 9 } })).toEqual(
      [],
    );
  });

  it.each([
    ["a list", []],
    ["a string", "fast"],
    ["a number", 5],
    ["a boolean", false],
  ])("become null with a soft warning each when they are malformed: %s as metadata", (found, metadata) => {
    expect(checkAgentResponse({ final_response: "Done.", metadata, messages: "none" })).toEqual({
      ok: true,
      violation: null,
      body: { final_response: "Done.", metadata: null, messages: null },
      softWarnings: [
        { code: "malformed_messages", path: "$.messages", message: "expected a list, found a string; dropped" },
        { code: "malformed_metadata", path: "$.metadata", message: `expected an object, found ${found}; dropped` },
      ],
    });
  });
});

describe("a reply that is no object", () => {
  it.each([
    ["a list", [{ final_response: "Done." }]],
    ["a string", '{"final_response":"Done."}'],
    ["null", null],
    ["nothing", undefined],
    ["a number", 5],
    ["a function", () => ({ final_response: "Done." })],
  ])("is not ok, as %s", (found, body) => {
    expect(checkAgentResponse(body)).toEqual({
      ok: false,
      violation: null,
      body: {},
      softWarnings: [{ code: "not_an_object", path: "$", message: `expected an object, found ${found}` }],
    });
  });
});
