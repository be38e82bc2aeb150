import type { Outcome } from "./model.js";

type Wanted = "boolean" | "number" | "string" | "anything";

/** The fields of each kind of outcome besides `kind`, with what they hold; all may be left out. */
const FIELDS: ReadonlyMap<unknown, ReadonlyMap<string, Wanted>> = new Map([
  ["result", new Map<string, Wanted>([["output", "anything"]])],
  [
    "error",
    new Map<string, Wanted>([
      ["status", "number"],
      ["code", "string"],
      ["message", "string"],
      ["sent", "boolean"],
      ["answered", "boolean"],
    ]),
  ],
  ["timeout", new Map<string, Wanted>([["sent", "boolean"]])],
  ["happened", new Map<string, Wanted>([["output", "anything"]])],
  ["did_not_happen", new Map<string, Wanted>()],
]);

/** What is wrong with the shape of an outcome; null where it is one. */
function problemOf(outcome: unknown): string | null {
  if (typeof outcome !== "object" || outcome === null || !("kind" in outcome)) return "it has no kind";
  const fields = FIELDS.get(outcome.kind);
  if (fields === undefined) return "its kind is unknown";
  for (const [name, value] of Object.entries(outcome)) {
    const wanted = name === "kind" ? "anything" : fields.get(name);
    if (wanted === undefined) return `\`${name}\` is unknown`;
    if (wanted !== "anything" && typeof value !== wanted) return `\`${name}\` must be a ${wanted}`;
  }
  return null;
}

function isOutcome(outcome: unknown): outcome is Outcome {
  return problemOf(outcome) === null;
}

/** The outcome, if it is one; anything else changes nothing and is the caller's mistake. */
export function readOutcome(outcome: unknown): Outcome {
  if (isOutcome(outcome)) return outcome;
  throw new TypeError(`not an outcome: ${problemOf(outcome)}`);
}
