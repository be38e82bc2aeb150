import { describe, expect, it } from "vitest";
import {
  RESPONSE_CONTRACT,
  responseContractConfig,
  responseContractUpdate,
} from "../../src/pipelines/response/response-config.js";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";

const VIOLATION = {
  ok: false,
  violation: "response_contract_violation",
  softWarnings: [{ code: "no_assistant_text", path: "$.messages" }],
};

const asked = { role: "user", content: "Please send back order 4521." };
const answered = { role: "assistant", content: "It is on its way back." };
const called = { role: "assistant", tool_calls: [{ id: "c1", name: "get_order", arguments: { order_id: "4521" } }] };
const returned = { role: "tool", tool_call_id: "c1", content: '{"status":"shipped"}' };

function rich(...messages: readonly unknown[]) {
  return checkAgentResponse({ final_response: "It is on its way back.", messages }, RESPONSE_CONTRACT);
}

/** As from a caller without types. */
function checkWith(contract: unknown) {
  return Reflect.apply(checkAgentResponse, undefined, [{ final_response: "Done." }, contract]);
}

describe("the response contract", () => {
  it("75: is exactly one value", () => {
    expect(RESPONSE_CONTRACT).toEqual({ response_mode: "rich", strictness: "strict" });
    expect(JSON.stringify(RESPONSE_CONTRACT)).toBe('{"response_mode":"rich","strictness":"strict"}');
    expect(Object.isFrozen(RESPONSE_CONTRACT)).toBe(true);
  });

  it.each([
    ["another mode", { response_mode: "thin", strictness: "strict" }],
    ["another strictness", { response_mode: "rich", strictness: "lenient" }],
    ["half of it", { response_mode: "rich" }],
    ["a key more", { response_mode: "rich", strictness: "strict", retries: 1 }],
    ["nothing in it", {}],
    ["its name", "rich"],
    ["a boolean", true],
    ["a list", ["rich", "strict"]],
  ])("75: refuses %s by naming the two values", (_, contract) => {
    const refused = expect.objectContaining({
      name: "TypeError",
      message: expect.stringContaining('response_mode: "rich", strictness: "strict"'),
    });
    expect(() => checkWith(contract)).toThrow(refused);
    expect(() => Reflect.apply(responseContractUpdate, undefined, [contract])).toThrow(refused);
    expect(() => Reflect.apply(responseContractConfig, undefined, [contract])).toThrow(refused);
  });

  it("76: is set and taken away by an update", () => {
    expect(JSON.stringify(responseContractUpdate(RESPONSE_CONTRACT))).toBe(
      '{"config":{"response_contract":{"response_mode":"rich","strictness":"strict"}}}',
    );
    expect(JSON.stringify(responseContractUpdate(null))).toBe('{"config":{"response_contract":null}}');
  });

  it("76: is left out when an agent is created without it", () => {
    expect(Object.keys({ endpoint_url: "https://agent.example/run", ...responseContractConfig(null) })).toEqual([
      "endpoint_url",
    ]);
    expect(responseContractConfig(RESPONSE_CONTRACT)).toEqual({ response_contract: RESPONSE_CONTRACT });
  });
});

describe("with the response contract", () => {
  it.each([
    ["no messages", { final_response: "Done." }],
    ["null as messages", { final_response: "Done.", messages: null }],
    ["an empty list", { final_response: "Done.", messages: [] }],
  ])("77: a reply with %s is a violation", (_, body) => {
    expect(checkAgentResponse(body, RESPONSE_CONTRACT)).toMatchObject({
      ...VIOLATION,
      body: { final_response: "Done." },
    });
  });

  it.each([
    ["no assistant message", asked],
    ["no content", { role: "assistant" }],
    ["null as content", { role: "assistant", content: null }],
    ["an empty text", { role: "assistant", content: "" }],
    ["nothing but blanks", { role: "assistant", content: " \n\t " }],
    ["an empty list", { role: "assistant", content: [] }],
    ["an image alone", { role: "assistant", content: [{ type: "image", text: "no text part" }] }],
    ["a text part of blanks", { role: "assistant", content: [{ type: "text", text: " " }] }],
    ["a text part of a number", { role: "assistant", content: [{ type: "text", text: 5 }] }],
    ["a bare string in the list", { role: "assistant", content: ["Done."] }],
    ["thinking alone", { role: "assistant", thinking: [{ text: "Hm." }] }],
  ])("77: a transcript with %s is a violation", (_, message) => {
    expect(rich(asked, message)).toMatchObject(VIOLATION);
  });

  it("78: an assistant message of tool calls alone is a violation", () => {
    expect(rich(asked, called, returned)).toMatchObject(VIOLATION);
  });

  it("79: a question and an answer pass", () => {
    expect(rich(asked, answered)).toMatchObject({ ok: true, violation: null, softWarnings: [] });
  });

  it("79: a transcript with a tool call and metadata passes", () => {
    const metadata = { model: "m", total_input_tokens: 1842, total_output_tokens: 217, agent_runtime_ms: 4815 };
    const body = { final_response: "It is on its way back.", messages: [asked, called, returned, answered], metadata };
    expect(checkAgentResponse(body, RESPONSE_CONTRACT)).toEqual({ ok: true, violation: null, body, softWarnings: [] });
  });

  it("the final answer need not be in the transcript word for word", () => {
    expect(rich(asked, { role: "assistant", content: "Sent back." })).toMatchObject({ ok: true, softWarnings: [] });
  });

  it("a text part in a list of content counts as text", () => {
    const content = [{ type: "image" }, { type: "text", text: "It is on its way back." }];
    expect(rich(asked, { role: "assistant", content })).toMatchObject({ ok: true, violation: null });
  });

  it("messages that were dropped leave nothing to grade", () => {
    expect(rich(answered, { role: "developer", content: "x" })).toMatchObject({
      ok: false,
      violation: "response_contract_violation",
      body: { messages: null },
      softWarnings: [{ code: "malformed_messages" }, { code: "no_assistant_text" }],
    });
  });

  it("a reply that is none is a violation too", () => {
    expect(checkAgentResponse("Done.", RESPONSE_CONTRACT)).toMatchObject({
      ok: false,
      violation: "response_contract_violation",
      body: {},
    });
  });

  it("an answer is still needed", () => {
    expect(checkAgentResponse({ messages: [answered] }, RESPONSE_CONTRACT)).toMatchObject({
      ok: false,
      violation: null,
      softWarnings: [{ code: "missing_final_response" }],
    });
  });
});

describe("without the response contract", () => {
  it.each([[undefined], [null]])("80: a reply without messages passes (%s)", (contract) => {
    expect(checkWith(contract)).toEqual({
      ok: true,
      violation: null,
      body: { final_response: "Done." },
      softWarnings: [],
    });
  });

  it("80: a transcript without an assistant's text passes", () => {
    expect(checkAgentResponse({ final_response: "Done.", messages: [asked] })).toMatchObject({
      ok: true,
      violation: null,
    });
  });
});
