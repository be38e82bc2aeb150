import { describe, expect, it } from "vitest";
import { RESPONSE_CONTRACT } from "../../src/pipelines/response/response-config.js";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";

const said = (content: unknown) => ({ role: "assistant", content });

describe("the reply to a turn", () => {
  it("83: carries message, and needs nothing else", () => {
    const body = { message: "Which order do you mean?" };
    expect(checkAgentResponse(body)).toEqual({ ok: true, violation: null, body, softWarnings: [] });
  });

  it.each([
    ["neither answer", { session_done: true }, "nothing"],
    ["a number as message", { message: 5 }, "a number"],
    ["objects for both", { message: {}, final_response: {} }, "an object"],
    ["null as message", { message: null, session_done: true }, "null"],
  ])("83: is not ok with %s", (_, body, found) => {
    expect(checkAgentResponse(body)).toMatchObject({
      ok: false,
      violation: null,
      softWarnings: [{ code: "missing_message", path: "$.message", message: `expected a string, found ${found}` }],
    });
  });

  it("83: gives the soft warnings of an answer for its message", () => {
    expect(checkAgentResponse({ message: " " }).softWarnings).toMatchObject([
      { code: "empty_answer", path: "$.message" },
    ]);
    expect(checkAgentResponse({ message: "x".repeat(50_001) }).softWarnings).toMatchObject([
      { code: "long_answer", path: "$.message" },
    ]);
  });

  it("84: may carry metadata, session_done and messages", () => {
    const body = {
      message: "Goodbye.",
      session_done: true,
      metadata: { model: "m" },
      messages: [said("Goodbye.")],
      mood: "calm",
    };
    expect(checkAgentResponse(body, RESPONSE_CONTRACT)).toEqual({ ok: true, violation: null, body, softWarnings: [] });
  });

  it("84: keeps session_done when it is false", () => {
    expect(checkAgentResponse({ message: "Go on.", session_done: false }).body).toEqual({
      message: "Go on.",
      session_done: false,
    });
  });

  it("84: gives a soft warning when session_done is no boolean, and keeps it", () => {
    expect(checkAgentResponse({ message: "Go on.", session_done: "no" })).toMatchObject({
      ok: true,
      body: { message: "Go on.", session_done: "no" },
      softWarnings: [{ code: "session_done_not_boolean", path: "$.session_done" }],
    });
  });

  it("84: has messages and metadata judged as in any reply", () => {
    expect(checkAgentResponse({ message: "Go on.", messages: {}, metadata: [] })).toMatchObject({
      ok: true,
      body: { message: "Go on.", messages: null, metadata: null },
      softWarnings: [{ code: "malformed_messages" }, { code: "malformed_metadata" }],
    });
  });

  it.each([
    ["no message", { final_response: "Go on.", session_done: false }],
    ["null as message", { final_response: "Go on.", session_done: false, message: null }],
    ["an object as message", { final_response: "Go on.", session_done: false, message: { text: "Go on." } }],
  ])("86: takes final_response as an alias beside %s, and sends both", (_, body) => {
    const checked = checkAgentResponse(body);
    expect([checked.ok, checked.body]).toEqual([
      true,
      { final_response: "Go on.", session_done: false, message: "Go on." },
    ]);
    expect(checked.softWarnings).toMatchObject([{ code: "final_response_alias", path: "$.message" }]);
  });

  it("86: prefers message to its alias", () => {
    const body = { message: "First.", final_response: "Second." };
    expect(checkAgentResponse(body)).toMatchObject({ ok: true, body, softWarnings: [] });
  });

  it("is not what null in message or session_done makes of a reply", () => {
    expect(checkAgentResponse({ final_response: "Done.", message: null, session_done: null })).toEqual({
      ok: true,
      violation: null,
      body: { final_response: "Done." },
      softWarnings: [],
    });
  });
});

describe("the reply to a turn with the response contract", () => {
  it.each([
    ["as text", "Go on."],
    ["with blanks around it", " Go on.\n"],
    [
      "in parts",
      [
        { type: "text", text: "Go " },
        { type: "text", text: "on." },
      ],
    ],
  ])("86: holds the turn's own assistant message, %s", (_, content) => {
    const body = { message: "Go on.", messages: [said("Hello."), said(content)] };
    expect(checkAgentResponse(body, RESPONSE_CONTRACT)).toMatchObject({ ok: true, softWarnings: [] });
  });

  it("86: is a violation without messages", () => {
    expect(checkAgentResponse({ message: "Go on." }, RESPONSE_CONTRACT)).toMatchObject({
      ok: false,
      violation: "response_contract_violation",
    });
  });

  it("86: gives a soft warning when only earlier turns are in it", () => {
    const body = { message: "Go on.", messages: [said("Hello.")] };
    expect(checkAgentResponse(body, RESPONSE_CONTRACT)).toMatchObject({
      ok: true,
      violation: null,
      softWarnings: [{ code: "missing_turn_message", path: "$.messages" }],
    });
    expect(checkAgentResponse(body).softWarnings).toEqual([]);
  });
});
