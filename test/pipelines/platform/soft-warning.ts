/** What the platform puts right or overlooks, and says so; the codes are made up, the documents have none. */
export interface SoftWarning {
  readonly code:
    | "messages_missing"
    | "messages_malformed"
    | "metadata_malformed"
    | "tool_call_without_name"
    | "tool_call_id_unmatched"
    | "final_response_empty"
    | "final_response_truncated"
    | "session_done_malformed";
  /** The field it is about, as `messages[1].tool_calls[0]`. */
  readonly path: string;
}
