/** Finish reasons of the providers that mean the same. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["tool_use", "tool_calls"],
  ["end_turn", "stop"],
]);

/** A finish reason, equal for those that mean the same. */
export function canonicalFinishReason(word: string): string {
  return SAME.get(word) ?? word;
}
