import type { Acknowledgement, Answer } from "../public.js";
import { isNamed } from "./person.js";

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

/** What somebody found out about a late result, with who and why. */
export function checkedAcknowledgement(given: unknown): Acknowledgement {
  if (typeof given === "object" && given !== null) {
    const { by, why, happened }: { by?: unknown; why?: unknown; happened?: unknown } = { ...given };
    if (isNamed(by) && isNamed(why) && typeof happened === "boolean") return { by, why, happened };
  }
  throw new TypeError("an acknowledgement is an object that says who, why and what: `{ by, why, happened }`");
}
