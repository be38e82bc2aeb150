import { isDamaged } from "../../language/draft.js";
import { keySpan } from "../../language/located.js";
import { defineRule } from "../rule.js";

/** A session that cannot end is never done. */
export const missingTerminalPhase = defineRule<object>({
  code: "missing_terminal_phase",
  stage: "resolve",
  severity: "error",
  what: "No phase is `terminal`.",
  why: "Without an end nobody can tell a finished session from a stuck one.",
  mend: "Write `terminal: true` on at least one phase.",
  message: () => "no phase has `terminal: true`",
  help: () => "write `terminal: true` on the phase a session ends in",
  check(context, report) {
    const { session } = context;
    if (session?.phases === undefined || isDamaged(session, "phases")) return;
    if (!session.phases.some(({ terminal }) => terminal === true)) report(keySpan(session, "phases"), {});
  },
});
