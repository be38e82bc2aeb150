import type { JsonObject } from "../../base/json.js";
import { member, Unreadable } from "./body.js";
import { readChatCompletion } from "./chat-completion.js";
import { readMessage } from "./message.js";
import type { ModelProvider } from "./public.js";
import type { Reading } from "./reading.js";
import { readResponse } from "./response-object.js";

function read(provider: ModelProvider, body: JsonObject): Reading {
  if (provider === "anthropic") return readMessage(body);
  const hasChoices = member(body, "choices") !== undefined;
  const hasOutput = member(body, "output") !== undefined;
  if (hasChoices && hasOutput) throw new Unreadable("`choices` or `output`", "both");
  if (!hasChoices && !hasOutput) throw new Unreadable("`choices` or `output`", "neither");
  return hasChoices ? readChatCompletion(body) : readResponse(body);
}

/** Reads a response. No two calls may have the same id: a result refers to its call by it. */
export function readingOf(provider: ModelProvider, body: JsonObject): Reading {
  const reading = read(provider, body);
  if (new Set(reading.calls.map(({ id }) => id)).size < reading.calls.length) {
    throw new Unreadable("calls with ids of their own", "an id that two calls share");
  }
  return reading;
}
