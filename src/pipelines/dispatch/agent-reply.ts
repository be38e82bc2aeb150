import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { plainJson } from "../../guard/values/plain-json.js";
import type { ResponseContract } from "../response/response-config.js";
import { checkAgentResponse, type ResponseCheck } from "../response/response-contract.js";
import { assistantTexts, hasText } from "../response/response-text.js";
import type { Transcript } from "./transcript.js";

/** Sent for an agent without an answer: an empty answer cannot be graded. */
const PLACEHOLDER = "(no final response)";

/** The fields of an answer that have two spellings. */
const SPELLINGS: Readonly<Record<string, string>> = { finalResponse: "final_response", sessionDone: "session_done" };

function withWireNames(answer: JsonObject): JsonObject {
  const given = Object.entries(answer).map(([key, value]): [string, Json] => [
    Object.hasOwn(SPELLINGS, key) ? (SPELLINGS[key] ?? key) : key,
    value,
  ]);
  return Object.fromEntries(given);
}

/** Copies the members of an answer that are JSON; the others, mostly undefined ones, are left out. */
function jsonMembers(answer: object): JsonObject {
  return Object.fromEntries(
    Object.entries(answer).flatMap(([key, value]): [string, Json][] => {
      const plain = plainJson(value);
      return plain.ok ? [[key, plain.value]] : [];
    }),
  );
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" && hasText(value) ? value : PLACEHOLDER;
}

/** The agent's own messages, corrected if possible; null if there are none, or warnings remain. */
function soundMessages(own: Json | undefined): readonly JsonObject[] | null {
  const { body } = checkAgentResponse({ final_response: PLACEHOLDER, messages: own ?? null });
  const { messages } = body;
  if (!isJsonList(messages) || messages.length === 0) return null;
  return checkAgentResponse(body).softWarnings.length === 0 ? messages.filter(isJsonObject) : null;
}

/** The agent's own messages if they are valid, with its answer added if it is missing; otherwise the transcript. */
function messagesFor(own: Json | undefined, answer: string, transcript: Transcript): readonly Json[] {
  const kept = soundMessages(own);
  if (kept === null) return transcript.messages(answer);
  const isSaid = assistantTexts(kept).some((text) => text.trim() === answer.trim());
  return isSaid ? kept : [...kept, { role: "assistant", content: answer }];
}

/** The parts of a reply besides the agent's answer. */
export interface ReplyContext {
  readonly transcript: Transcript;
  readonly responseContract: ResponseContract | null;
  readonly runtimeMs: number;
}

/** The reply to the platform: valid, whatever the agent answered. */
export function agentReply(
  answered: unknown,
  { transcript, responseContract, runtimeMs }: ReplyContext,
): ResponseCheck {
  const given = typeof answered === "object" && answered !== null ? jsonMembers(answered) : {};
  const parts = typeof answered === "string" ? { final_response: answered } : withWireNames(given);
  const isTurn = (parts.message ?? null) !== null || (parts.session_done ?? null) !== null;
  const text = textIn(isTurn ? (parts.message ?? parts.final_response) : parts.final_response);
  const metadata = isJsonObject(parts.metadata) ? parts.metadata : {};
  return checkAgentResponse(
    {
      ...parts,
      ...(isTurn ? { message: text } : { final_response: text }),
      messages: messagesFor(parts.messages, text, transcript),
      metadata: { agent_runtime_ms: Math.round(runtimeMs), ...metadata },
    },
    responseContract,
  );
}
