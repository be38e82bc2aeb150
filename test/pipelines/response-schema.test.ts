import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { AGENT_RESPONSE_SCHEMA } from "../../src/pipelines/response/agent-response-schema.js";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";

const validate = new Ajv2020({ allowUnionTypes: true }).compile(AGENT_RESPONSE_SCHEMA);

const withMessage = (message: unknown) => ({ final_response: "Done.", messages: [message] });
const withCall = (call: unknown) => withMessage({ role: "assistant", tool_calls: [call] });
const FUNCTION = { name: "get_order", arguments: "{}" };

const VALID: readonly (readonly [string, unknown])[] = [
  ["an empty final_response", { final_response: "" }],
  ["60,000 characters", { final_response: "x".repeat(60_000) }],
  ["messages that are null", { final_response: "Done.", messages: null }],
  ["no message in messages", { final_response: "Done.", messages: [] }],
  ["metadata that is null", { final_response: "Done.", metadata: null }],
  ["keys nobody knows", { final_response: "Done.", cost: 3, metadata: { region: "eu" } }],
  ...["system", "user", "assistant", "tool"].flatMap((role): [string, unknown][] => [
    [`a message of role ${role} without content`, withMessage({ role })],
    [`a message of role ${role} with null as content`, withMessage({ role, content: null })],
  ]),
  ["a list of anything as content", withMessage({ role: "user", content: [1, null, "x", { type: "image" }, []] })],
  ["a tool message without tool_call_id", withMessage({ role: "tool", content: "{}" })],
  ["tool calls on a user message", withMessage({ role: "user", tool_calls: [{ name: "get_order" }] })],
  ["thinking on a user message", withMessage({ role: "user", thinking: [{ text: "Hm." }] })],
  ["a number as arguments", withCall({ name: "get_order", arguments: 5 })],
  ["null as arguments", withCall({ name: "get_order", arguments: null })],
  ["a call with an empty name", withCall({ name: "" })],
  ["a nested call without type", withCall({ id: "c1", function: FUNCTION })],
  ["a flat call with another type", withCall({ name: "get_order", type: "custom" })],
  ["token counts as strings", { final_response: "Done.", metadata: { total_input_tokens: "12" } }],
];

const INVALID: readonly (readonly [string, unknown])[] = [
  ["no final_response", {}],
  ["null as final_response", { final_response: null }],
  ["message alone", { message: "Done." }],
  ["an object as messages", { final_response: "Done.", messages: {} }],
  ["a string as messages", { final_response: "Done.", messages: "[]" }],
  ["a list as metadata", { final_response: "Done.", metadata: [] }],
  ["a string as metadata", { final_response: "Done.", metadata: "fast" }],
  ["a message without role", withMessage({ content: "Done." })],
  ["the role developer", withMessage({ role: "developer" })],
  ["the role function", withMessage({ role: "function" })],
  ["an object as content", withMessage({ role: "user", content: {} })],
  ["a number as content", withMessage({ role: "user", content: 5 })],
  ["null as tool_call_id", withMessage({ role: "user", tool_call_id: null })],
  ["null as tool_calls", withMessage({ role: "assistant", tool_calls: null })],
  ["null as thinking", withMessage({ role: "assistant", thinking: null })],
  ["a string in thinking", withMessage({ role: "assistant", thinking: ["Hm."] })],
  ["null as the id of a call", withCall({ id: null, name: "get_order" })],
  ["a nested call of another type", withCall({ type: "custom", function: FUNCTION })],
  ["a nested call without name", withCall({ type: "function", function: { arguments: "{}" } })],
  ["a call with nothing but an id", withCall({ id: "c1" })],
  ["a call of both shapes at once", withCall({ name: "get_order", function: FUNCTION })],
];

describe("the schema of an agent's reply", () => {
  it.each(VALID)("takes %s", (_, body) => {
    expect([validate(body), validate.errors]).toEqual([true, null]);
  });

  it.each(INVALID)("refuses %s", (_, body) => {
    expect(validate(body)).toBe(false);
  });
});

describe("a reply after the check", () => {
  it.each(VALID)("60: validates against the schema when it holds %s", (_, body) => {
    const checked = checkAgentResponse(body);
    expect([checked.ok, validate(checked.body)]).toEqual([true, true]);
  });

  it.each(INVALID.slice(3))("60: validates against the schema though it held %s, and says so", (_, body) => {
    const checked = checkAgentResponse(body);
    expect([checked.ok, validate(checked.body), checked.softWarnings.length]).toEqual([true, true, 1]);
  });

  it.each(INVALID.slice(0, 2))("57: is not ok with %s", (_, body) => {
    expect(checkAgentResponse(body)).toMatchObject({
      ok: false,
      violation: null,
      softWarnings: [{ code: "missing_final_response", path: "$.final_response" }],
    });
  });
});
