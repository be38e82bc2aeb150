import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly from: string;
  readonly to: string;
  readonly first: Span;
}

/** A handoff is named by its two roles, so of two entries for the same roles it is not known which one governs it. */
export const duplicateHandoff = defineRule<Params>({
  code: "duplicate_handoff",
  stage: "resolve",
  severity: "error",
  what: "Two handoffs of a workflow have the same `from` and `to`.",
  why: "A handoff is named by its two roles, so it is not known which artifacts and which close policy are meant.",
  fix: "Merge them into one.",
  message: ({ from, to }) => `the handoff from ${quoted(from)} to ${quoted(to)} is declared twice`,
  help: () => "merge them into one",
  related: ({ first }) => [{ span: first, message: "it is declared here first" }],
  check(context, report) {
    const firstOf = new Map<string, Span>();
    for (const handoff of context.workflow?.handoffs ?? []) {
      const { from, to } = handoff;
      if (from === undefined || to === undefined) continue;
      const key = JSON.stringify([from, to]);
      const first = firstOf.get(key);
      if (first === undefined) firstOf.set(key, spanOf(handoff));
      else report(spanOf(handoff), { from, to, first });
    }
  },
});
