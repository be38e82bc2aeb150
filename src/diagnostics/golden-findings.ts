import type { SarifRule } from "./render-sarif.js";

/** What playing the golden cases of a pack may find. They are the pack's own tests, so they are fixed, not suppressed. */
export const GOLDEN_FINDINGS = [
  {
    code: "golden_case_failed",
    severity: "error",
    what: "The guard's verdict on a golden case is not the expected one.",
    why: "The case states what its author expects of the pack; the pack does something else.",
    fix: "Correct the rule if the case is right, or the case if the rule is.",
  },
  {
    code: "golden_history_refused",
    severity: "error",
    what: "A call in `given.history` of a golden case is refused, or its output is.",
    why: "No session has such a history, so the verdict after it does not test the pack.",
    fix: "List the calls that really lead there, oldest first, or only `given.phase` and `given.bindings`.",
  },
] as const satisfies readonly SarifRule[];

export type GoldenFindingCode = (typeof GOLDEN_FINDINGS)[number]["code"];
