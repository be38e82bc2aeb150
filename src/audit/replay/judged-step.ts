import { REASONS } from "../../artifact/reasons.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { RecordedVerdict } from "../../guard/durable/note.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { Why } from "./skipped.js";

/** What deciding a step again showed. */
export type Judged =
  /** The same; `unjudged` says what of it could not be judged. */
  | { readonly kind: "same"; readonly unjudged: readonly Why[] }
  | { readonly kind: "skipped"; readonly why: Why }
  | { readonly kind: "different"; readonly what: string }
  /** It records no decision. */
  | { readonly kind: "none" };

/** A verdict with the events that record it. */
export interface Outcome {
  readonly verdict: RecordedVerdict;
  readonly events: readonly SessionEvent[];
}

const KINDS: ReadonlySet<unknown> = new Set(["allow", "block", "approval_required", "recorded"]);

/** A verdict in a few words. Whoever wrote the log may have put anything into it. */
function wordsFor(verdict: RecordedVerdict): string {
  const { kind, reason, rule, because, would } = verdict;
  if (!KINDS.has(kind)) return "of an unknown kind";
  const details = [
    ...(typeof reason === "string" && Object.hasOwn(REASONS, reason) ? [reason] : []),
    ...(typeof rule?.file === "string" ? [`${rule.file.slice(0, 200)}:${Number(rule.line)}`] : []),
    ...(typeof because === "string" ? [`because: ${because.slice(0, 200)}`] : []),
    ...(typeof would === "object" && would !== null ? [`would be ${wordsFor(would)}`] : []),
  ];
  return details.length === 0 ? kind : `${kind} (${details.join(", ")})`;
}

/** Whether two values are the same JSON. */
export function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** A verdict without words that the recorded one lacks: guards did not always record them. */
function asRecorded(decided: RecordedVerdict, recorded: RecordedVerdict | undefined): RecordedVerdict {
  const { because, would, ...rest } = decided;
  const words = because === undefined || recorded?.because === undefined ? {} : { because };
  return { ...rest, ...words, ...(would === undefined ? {} : { would: asRecorded(would, recorded?.would) }) };
}

/** Compares what was recorded with what was decided again. */
export function compared(recorded: Outcome, decided: Outcome, unjudged: readonly Why[]): Judged {
  if (!isEqual(recorded.verdict, asRecorded(decided.verdict, recorded.verdict))) {
    const [was, is] = [wordsFor(recorded.verdict), wordsFor(decided.verdict)];
    const what =
      was === is
        ? "names another call or approval than the one decided again"
        : `was ${was}, and is ${is} when decided again`;
    return { kind: "different", what };
  }
  if (!isEqual(recorded.events, decided.events)) {
    return { kind: "different", what: "has the right verdict, and records something else than deciding it again" };
  }
  return { kind: "same", unjudged };
}
