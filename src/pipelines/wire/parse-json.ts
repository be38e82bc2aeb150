const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Parsed JSON, or undefined if the bytes are not JSON; the parser's own error would quote them. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}

/** Whether a content type is JSON; a missing one is accepted until the body is parsed. */
export function isJsonType(type: string | undefined): boolean {
  return type === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim());
}
