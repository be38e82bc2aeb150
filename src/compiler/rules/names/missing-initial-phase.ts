import { isDamaged } from "../../../language/draft.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** A session has to start somewhere. */
export const missingInitialPhase = defineRule<object>({
  code: "missing_initial_phase",
  stage: "resolve",
  severity: "error",
  what: "No phase is `initial`.",
  why: "A session would have no phase to start in, so no phase rule could be judged.",
  fix: "Write `initial: true` on exactly one phase.",
  message: () => "no phase has `initial: true`",
  help: () => "write `initial: true` on the phase a session starts in",
  check(context, report) {
    const { session } = context;
    if (session?.phases === undefined || isDamaged(session, "phases")) return;
    if (!session.phases.some(({ initial }) => initial === true)) report(keySpan(session, "phases"), {});
  },
});
