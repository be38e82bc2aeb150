import { isJsonList, type Json, type JsonObject } from "../../base/json.js";
import { finishOf, member, objectAt, parsedArguments, textAt, Unreadable } from "./body.js";
import type { ModelCall } from "./public.js";
import type { Reading } from "./reading.js";
import { hasText } from "./text.js";

const MESSAGE = "choices[0].message";

function callOf(value: Json, index: number): ModelCall {
  const where = `${MESSAGE}.tool_calls[${index}]`;
  const call = objectAt(value, where);
  const type = member(call, "type");
  if (type !== undefined && type !== "function") {
    // The input of a custom tool is a text of any form: no rule on arguments could judge it.
    throw new Unreadable(
      `a function in ${where}`,
      type === "custom" ? "a call of a custom tool" : "another kind of call",
    );
  }
  const id = textAt(member(call, "id"), `${where}.id`);
  const called = objectAt(member(call, "function"), `${where}.function`);
  const tool = textAt(member(called, "name"), `${where}.function.name`);
  return { id, tool, args: parsedArguments(member(called, "arguments"), `${where}.function.arguments`) };
}

function callsOf(message: JsonObject): readonly ModelCall[] {
  const old = member(message, "function_call");
  if (old !== undefined && old !== null) {
    throw new Unreadable("calls in `tool_calls`, each with an id", "a `function_call`, which has none");
  }
  const calls = member(message, "tool_calls");
  if (calls === undefined || calls === null) return [];
  if (!isJsonList(calls)) throw new Unreadable(`a list in ${MESSAGE}.tool_calls`, "something else");
  return calls.map(callOf);
}

/** Reads the body of a chat completion. */
export function readChatCompletion(body: JsonObject): Reading {
  const choices = member(body, "choices");
  if (!isJsonList(choices)) throw new Unreadable("a list in choices", "something else");
  if (choices.length !== 1) throw new Unreadable("exactly one choice", String(choices.length));
  const choice = objectAt(choices[0], "choices[0]");
  if (member(choice, "delta") !== undefined) {
    throw new Unreadable("a whole response", "a piece of a stream");
  }
  const message = objectAt(member(choice, "message"), MESSAGE);
  const text = hasText(member(message, "content"), `${MESSAGE}.content`);
  return {
    calls: callsOf(message),
    finish: finishOf(member(choice, "finish_reason"), "choices[0].finish_reason"),
    hasText: hasText(member(message, "refusal"), `${MESSAGE}.refusal`) || text,
    isCutOff: false,
  };
}
