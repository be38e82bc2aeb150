import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phase: string | undefined;
  readonly first: Span;
}

/** A session starts in one phase. */
export const duplicateInitialPhase = defineRule<Params>({
  code: "duplicate_initial_phase",
  stage: "resolve",
  severity: "error",
  what: "More than one phase is `initial`.",
  why: "A session starts in one phase; which one is not known.",
  fix: "Keep `initial: true` on exactly one phase.",
  message: ({ phase }) => `${phase === undefined ? "this" : quoted(phase)} is a second initial phase`,
  help: () => "keep `initial: true` on one phase",
  related: ({ first }) => [{ span: first, message: "the first one is here" }],
  check(context, report) {
    const [first, ...others] = (context.session?.phases ?? []).filter(({ initial }) => initial === true);
    if (first === undefined) return;
    for (const phase of others)
      report(keySpan(phase, "initial"), { phase: phase.name, first: keySpan(first, "initial") });
  },
});
