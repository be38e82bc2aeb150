import { isDamaged } from "../../../language/draft.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  /** Whether a claim is about terminal phases in a pack that has no phases at all. */
  readonly claimed: boolean;
}

/** A session that cannot end is never finished. */
export const missingTerminalPhase = defineRule<Params>({
  code: "missing_terminal_phase",
  stage: "resolve",
  severity: "error",
  what: "No phase is `terminal`, or a claim requires that one can be reached and the pack has no phases.",
  why: "Without a terminal phase a finished session cannot be distinguished from a stuck one.",
  fix: "Write `terminal: true` on at least one phase.",
  message: ({ claimed }) =>
    claimed ? "the claim is about a terminal phase, but the pack has no phases" : "no phase has `terminal: true`",
  help: ({ claimed }) =>
    claimed
      ? "declare `phases` in session.yaml, one of them with `terminal: true`, or drop the claim"
      : "write `terminal: true` on the phase a session ends in",
  check(context, report) {
    const { session } = context;
    if (session !== null && isDamaged(session, "phases")) return;
    if (session?.phases === undefined) {
      for (const { always_possible: possible } of context.claims?.claims ?? []) {
        if (possible?.reach === "terminal") report(valueSpan(possible, "reach"), { claimed: true });
      }
    } else if (!session.phases.some(({ terminal }) => terminal === true)) {
      report(keySpan(session, "phases"), { claimed: false });
    }
  },
});
