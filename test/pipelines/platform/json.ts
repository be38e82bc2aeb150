/** A JSON object whose fields are not checked yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for an object that is neither a list nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or undefined, which no JSON text has. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
