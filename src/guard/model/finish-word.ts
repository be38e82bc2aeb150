/** Words of the providers that mean the same. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["tool_use", "tool_calls"],
  ["end_turn", "stop"],
]);

/** A word for why a model stopped, the same for words that mean the same. */
export function finishWord(word: string): string {
  return SAME.get(word) ?? word;
}
