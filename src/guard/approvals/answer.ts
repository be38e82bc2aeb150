import type { Answer } from "../public.js";

/** The fields of an answer besides its decision, as far as they can be recorded. */
export type AnswerFields = Partial<Answer>;

/** Reads an answer, each field once; null if it cannot be read. Fields that are not strings are left out. */
export function readAnswer(given: unknown): AnswerFields | null {
  if (typeof given !== "object" || given === null) return null;
  try {
    const { by, note }: { readonly by?: unknown; readonly note?: unknown } = given;
    return { ...(typeof by === "string" ? { by } : {}), ...(typeof note === "string" ? { note } : {}) };
  } catch {
    return null;
  }
}

/** The same for an approval: one that cannot be read does not count. */
export function checkedAnswer(given: unknown): AnswerFields {
  const fields = readAnswer(given);
  if (fields === null) throw new TypeError("an answer must be an object that names the approver: `{ by, note? }`");
  return fields;
}
