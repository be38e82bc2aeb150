import type { Span } from "../../../diagnostics/source.js";
import { listed } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule, type Report } from "../../rule.js";

interface Params {
  readonly subject: "the claim" | "`never`";
  readonly found: readonly string[];
  readonly known: readonly string[];
}

interface Place {
  readonly subject: Params["subject"];
  readonly known: readonly string[];
}

const CLAIM: Place = { subject: "the claim", known: ["never", "always_possible", "at_most", "requires_approval"] };
const NEVER: Place = { subject: "`never`", known: ["without_prior", "after", "when_label"] };

function judge(entry: object, { subject, known }: Place, report: Report<Params>): void {
  const span: Span = spanOf(entry);
  const found = known.filter((key) => key in entry);
  // The broken part may be the missing one.
  if (found.length > 1 || (found.length === 0 && !isDamaged(entry))) report(span, { subject, found, known });
}

/** One claim, one result. */
export const ambiguousClaim = defineRule<Params>({
  code: "ambiguous_claim",
  stage: "resolve",
  severity: "error",
  what: "A claim states several things, or nothing.",
  why: "Each claim is proved or refuted by itself; if one entry states several, it is not known which is refuted.",
  fix: "Write one of `never`, `always_possible`, `at_most` and `requires_approval` per entry, and one of `without_prior`, `after` and `when_label` in a `never`.",
  message: ({ subject, found, known }) =>
    found.length === 0 ? `${subject} has none of ${listed(known, "and")}` : `${subject} has ${listed(found, "and")}`,
  help: ({ found }) => (found.length === 0 ? "add one of them" : "make a claim of each"),
  check(context, report) {
    for (const claim of context.claims?.claims ?? []) {
      judge(claim, CLAIM, report);
      if (claim.never !== undefined) judge(claim.never, NEVER, report);
    }
  },
});
