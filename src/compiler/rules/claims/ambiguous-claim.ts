import type { Span } from "../../../diagnostics/source.js";
import { listed } from "../../../diagnostics/wording.js";
import { type Draft, isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import type { ClaimEntry } from "../../../language/schema/claims.js";
import { defineRule, type Report } from "../../rule.js";

interface Params {
  readonly subject: "the claim" | "`never`" | "`at_most`";
  readonly found: readonly string[];
  readonly known: readonly string[];
  /** What to write instead; by default one of the known, or a claim of each. */
  readonly instead?: string;
}

interface Place {
  readonly subject: Params["subject"];
  readonly known: readonly string[];
}

const CLAIM: Place = { subject: "the claim", known: ["never", "always_possible", "at_most", "requires_approval"] };
const CONDITIONS = ["without_prior", "after", "when_label"];
const NEVER: Place = { subject: "`never`", known: CONDITIONS };
const MOST = "write `tool` and `calls`, or `role` and `sessions`";

function judge(entry: object, { subject, known }: Place, report: Report<Params>): void {
  const span: Span = spanOf(entry);
  const found = known.filter((key) => key in entry);
  // The broken part may be the missing one.
  if (found.length > 1 || (found.length === 0 && !isDamaged(entry))) report(span, { subject, found, known });
}

function judgeNever(never: NonNullable<Draft<ClaimEntry>["never"]>, report: Report<Params>): void {
  const found = ["role", ...CONDITIONS, "while"].filter((key) => key in never);
  const [first, ...rest] = found;
  const { subject } = NEVER;
  if (first === "role") {
    const instead = "claims about the order of calls belong into the claims.yaml of the role's pack";
    if (rest.some((key) => key !== "while")) report(spanOf(never), { subject, found, known: CONDITIONS, instead });
  } else if (found.includes("while")) {
    const instead = "name the `role` whose sessions call the tool";
    if (found.length > 1 || !isDamaged(never)) report(spanOf(never), { subject, found, known: CONDITIONS, instead });
  } else judge(never, NEVER, report);
}

function judgeMost(most: NonNullable<Draft<ClaimEntry>["at_most"]>, report: Report<Params>): void {
  const found = ["tool", "calls", "role", "sessions"].filter((key) => key in most);
  const isPair = found.join() === "tool,calls" || found.join() === "role,sessions";
  if (isPair || (found.length < 2 && isDamaged(most))) return;
  report(spanOf(most), { subject: "`at_most`", found, known: ["tool", "calls", "role", "sessions"], instead: MOST });
}

/** One claim, one result. */
export const ambiguousClaim = defineRule<Params>({
  code: "ambiguous_claim",
  stage: "resolve",
  severity: "error",
  what: "A claim states several things, or nothing.",
  why: "Each claim is proved or refuted by itself; if one entry states several, it is not known which is refuted.",
  fix: "Write one of `never`, `always_possible`, `at_most` and `requires_approval` per entry; in a `never` either one of `without_prior`, `after` and `when_label`, or a `role`, alone or with `while`; in an `at_most` either `tool` and `calls`, or `role` and `sessions`.",
  message: ({ subject, found, known }) =>
    found.length === 0 ? `${subject} has none of ${listed(known, "and")}` : `${subject} has ${listed(found, "and")}`,
  help: ({ found, instead }) => instead ?? (found.length === 0 ? "add one of them" : "make a claim of each"),
  check(context, report) {
    for (const claim of context.claims?.claims ?? []) {
      judge(claim, CLAIM, report);
      if (claim.never !== undefined) judgeNever(claim.never, report);
      if (claim.at_most !== undefined) judgeMost(claim.at_most, report);
    }
  },
});
