/** What rules on outputs judge of a result that is a text: the object or list that it is the JSON of, else the text itself. */
export function outputOfText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch (cause) {
    if (cause instanceof SyntaxError) return text;
    throw cause;
  }
}
