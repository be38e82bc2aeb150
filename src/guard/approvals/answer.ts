import type { Answer } from "../public.js";

/** What an answer to an approval says beside yes or no, as far as that can be recorded and read again. */
export type Said = Partial<Answer>;

/** Reads an answer, each field once; null where it cannot be read. What is no text is left out. */
export function readAnswer(given: unknown): Said | null {
  if (typeof given !== "object" || given === null) return null;
  try {
    const { by, note }: { readonly by?: unknown; readonly note?: unknown } = given;
    return { ...(typeof by === "string" ? { by } : {}), ...(typeof note === "string" ? { note } : {}) };
  } catch {
    return null;
  }
}

/** The same for an answer that lets a call pass: one that cannot be read does not. */
export function checkedAnswer(given: unknown): Said {
  const said = readAnswer(given);
  if (said === null) throw new TypeError("an answer is an object that says who gives it: `{ by, note? }`");
  return said;
}
