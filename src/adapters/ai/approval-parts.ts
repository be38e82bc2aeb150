import type { ModelMessage } from "ai";
import type { JsonObject } from "../../base/json.js";
import type { ModelCall } from "../../guard/model/public.js";

/** An answer of the user, in the messages that an application sends. */
export interface ApprovalResponse {
  readonly call: ModelCall;
  readonly isYes: boolean;
  readonly reason: string | undefined;
}

/** The answers after the last reply; those before it were read then. */
export function approvalResponses(messages: readonly ModelMessage[]): readonly ApprovalResponse[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const reply = messages[last];
  if (reply?.role !== "assistant" || typeof reply.content === "string") return [];
  const { content } = reply;
  return messages.slice(last + 1).flatMap((message) => {
    if (message.role !== "tool") return [];
    return message.content.flatMap((part) => {
      if (part.type !== "tool-approval-response") return [];
      const asked = content.find(
        (each) => each.type === "tool-approval-request" && each.approvalId === part.approvalId,
      );
      if (asked?.type !== "tool-approval-request") return [];
      const made = content.find((each) => each.type === "tool-call" && each.toolCallId === asked.toolCallId);
      if (made?.type !== "tool-call") return [];
      // The guard copies the arguments, and refuses what is not JSON.
      const call = { id: made.toolCallId, tool: made.toolName, args: made.input as JsonObject };
      return [{ call, isYes: part.approved, reason: part.reason }];
    });
  });
}
