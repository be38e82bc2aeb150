import type { Json, JsonObject } from "../../base/json.js";
import { type Answer, readAnswer } from "./response-answer.js";
import { readBody } from "./response-body.js";
import { demandResponseContract, type ResponseContract } from "./response-config.js";
import { settleMessages } from "./response-messages.js";
import { settleMetadata } from "./response-metadata.js";
import { assistantTexts, hasText } from "./response-text.js";
import { ResponseWarnings, type SoftWarning, type Warn } from "./response-warnings.js";

/** The platform's judgement of a reply. */
export interface ResponseCheck {
  /** False if the reply cannot be graded; the findings then include the reason. */
  readonly ok: boolean;
  readonly violation: "response_contract_violation" | null;
  /** The reply as it should be sent: flat tool calls, empty fields left out, malformed parts null. */
  readonly body: JsonObject;
  readonly softWarnings: readonly SoftWarning[];
}

const OPTIONAL_FIELDS = ["final_response", "message", "session_done", "messages", "metadata"] as const;

const NO_ANSWER: Answer = { text: null, isTurn: false };

/** The contract requires a text of the assistant: a judge needs one. */
function judgeTranscript(messages: readonly JsonObject[], { text, isTurn }: Answer, warn: Warn): void {
  const texts = assistantTexts(messages);
  if (texts.length === 0) warn("no_assistant_text", ["messages"]);
  else if (isTurn && text !== null && hasText(text) && !texts.some((said) => said.trim() === text.trim()))
    warn("missing_turn_message", ["messages"]);
}

/** Normalises the messages of a reply; returns those that are left. */
function replaceMessages(parts: Map<string, Json>, warn: Warn): readonly JsonObject[] {
  const given = parts.get("messages");
  if (given === undefined) return [];
  const messages = settleMessages(given, warn);
  parts.set("messages", messages);
  return messages ?? [];
}

/**
 * Judges the reply of an agent as the platform would; never throws on a reply.
 * With a response contract, a reply without an assistant message with text is a violation.
 */
export function checkAgentResponse(body: unknown, responseContract?: ResponseContract | null): ResponseCheck {
  const contract = demandResponseContract(responseContract);
  const warnings = new ResponseWarnings();
  const { warn } = warnings;
  const read = readBody(body, warn);
  const parts = read ?? new Map<string, Json>();
  const answer = read === null ? NO_ANSWER : readAnswer(read, warn);
  for (const field of OPTIONAL_FIELDS) if (parts.get(field) === null) parts.delete(field);
  if (answer.isTurn && answer.text !== null) parts.set("message", answer.text);
  const messages = replaceMessages(parts, warn);
  if (contract !== null) judgeTranscript(messages, answer, warn);
  const metadata = parts.get("metadata");
  if (metadata !== undefined) parts.set("metadata", settleMetadata(metadata, warn));
  return {
    ok: !warnings.fails,
    violation: warnings.has("no_assistant_text") ? "response_contract_violation" : null,
    body: Object.fromEntries(parts),
    softWarnings: warnings.list(),
  };
}
