import type { Json } from "../../base/json.js";
import { hasText } from "./response-text.js";
import { namedType, type Warn } from "./response-warnings.js";

/** The answer to the user, and whether it is that of one turn or of a whole run. */
export interface Answer {
  readonly text: string | null;
  readonly isTurn: boolean;
}

/** The platform truncates answers at about this length. */
const LONGEST_ANSWER = 50_000;

function judgeText(text: string, field: string, warn: Warn): void {
  if (!hasText(text)) warn("empty_answer", [field]);
  if (text.length > LONGEST_ANSWER) warn("long_answer", [field], { found: `${text.length}` });
}

function readTurn(parts: ReadonlyMap<string, Json>, warn: Warn): string | null {
  const message = parts.get("message");
  const alias = parts.get("final_response");
  const done = parts.get("session_done") ?? null;
  if (done !== null && typeof done !== "boolean")
    warn("session_done_not_boolean", ["session_done"], { found: namedType(done) });
  if (typeof message === "string") {
    judgeText(message, "message", warn);
    return message;
  }
  if (typeof alias !== "string") {
    warn("missing_message", ["message"], { found: namedType(message) });
    return null;
  }
  warn("final_response_alias", ["message"], { found: namedType(message) });
  judgeText(alias, "final_response", warn);
  return alias;
}

/** Finds the answer in a reply; `message` or `session_done` makes it the reply to a turn. */
export function readAnswer(parts: ReadonlyMap<string, Json>, warn: Warn): Answer {
  const isTurn = ["message", "session_done"].some((key) => (parts.get(key) ?? null) !== null);
  if (isTurn) return { text: readTurn(parts, warn), isTurn };
  const answer = parts.get("final_response");
  if (typeof answer !== "string") {
    warn("missing_final_response", ["final_response"], { found: namedType(answer) });
    return { text: null, isTurn };
  }
  judgeText(answer, "final_response", warn);
  return { text: answer, isTurn };
}
