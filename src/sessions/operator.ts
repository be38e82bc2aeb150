import { isNamed } from "../guard/approvals/person.js";
import type { Operator } from "../guard/durable/note.js";

/** Who changes a session, and why; nothing is changed from outside without both. */
export function checkedOperator(given: unknown): Operator {
  if (typeof given === "object" && given !== null) {
    const { by, why }: { readonly by?: unknown; readonly why?: unknown } = given;
    if (isNamed(by) && isNamed(why)) return { by, why };
  }
  throw new TypeError("say who does it and why: `{ by, why }`, two texts that are not empty");
}
