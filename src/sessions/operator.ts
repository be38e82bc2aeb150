import type { Operator } from "../guard/durable/note.js";

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Who changes a session, and why; nothing is changed from outside without both. */
export function checkedOperator(given: unknown): Operator {
  if (typeof given === "object" && given !== null) {
    const { by, why }: { readonly by?: unknown; readonly why?: unknown } = given;
    if (isFilled(by) && isFilled(why)) return { by, why };
  }
  throw new TypeError("say who does it and why: `{ by, why }`, two texts that are not empty");
}
