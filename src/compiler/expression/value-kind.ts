/** The kinds of value that expressions tell apart. */
export const VALUE_KINDS = ["null", "boolean", "number", "string", "list", "map", "timestamp", "duration"] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

const WORDS: Readonly<Record<ValueKind, string>> = {
  null: "null",
  boolean: "a boolean",
  number: "a number",
  string: "a text",
  list: "a list",
  map: "an object",
  timestamp: "a time",
  duration: "a duration",
};

/** `a text or a list`. */
export function kindWords(kinds: Iterable<ValueKind>): string {
  const words = [...kinds].map((kind) => WORDS[kind]);
  const last = words.pop() ?? "nothing";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}
