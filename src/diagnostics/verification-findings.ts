import type { SarifRule } from "./render-sarif.js";

/** What exploring a pack may find, besides what the rules find by reading it. */
export const VERIFICATION_FINDINGS = [
  {
    code: "rule_cannot_fire",
    severity: "error",
    what: "It is proved that no call of any session is refused by the rule.",
    why: "A rule that can never refuse anything protects nothing, whatever its author expected.",
    fix: "Fix the rule so that it refuses what it is meant to refuse, or remove it.",
  },
  {
    code: "tool_never_allowed",
    severity: "error",
    what: "It is proved that no call of the tool is ever allowed, though nothing blocks it on purpose.",
    why: "An agent that is offered the tool can only fail with it.",
    fix: "Fix the rules that refuse it, or write `gate: block` if that is intended.",
  },
  {
    code: "claim_violated",
    severity: "error",
    what: "A session under the pack breaks what claims.yaml states.",
    why: "The claim is what the reviewers rely on.",
    fix: "Tighten the rules until the session shown is refused, or correct the claim.",
  },
  {
    code: "stuck_session",
    severity: "warning",
    what: "A session can reach a state from which no path to a terminal phase was found; the message states whether it is proved that there is none.",
    why: "The agent can then neither continue nor finish its work.",
    fix: "Allow a call that leads out of that state, or raise a limit that is used up too soon.",
  },
  {
    code: "workflow_deadlock",
    severity: "warning",
    what: "Sessions of a workflow can get to where each owns a shared resource that another one needs, and none was found to be able to finish; the message states whether it is proved that none can.",
    why: "Each of them is refused until another one ends unfinished, whatever is approved meanwhile.",
    fix: "Let every role take the resources in the same order, or share one of them by `serial_only` or `exclusive_pending`, which hold nothing between calls.",
  },
  {
    code: "rule_not_shown",
    severity: "warning",
    what: "No call was found that the rule refuses.",
    why: "Whether the rule can refuse anything is not known: a search that finds nothing proves nothing.",
    fix: "Raise `--states` or `--depth`, or make the rule simpler to reach.",
  },
  {
    code: "tool_not_shown",
    severity: "warning",
    what: "No call of the tool was found that is allowed.",
    why: "Whether the tool can be called at all is not known: a search that finds nothing proves nothing.",
    fix: "Raise `--states` or `--depth`, or give the tool a schema from which arguments can be made.",
  },
] as const satisfies readonly SarifRule[];

export type VerificationCode = (typeof VERIFICATION_FINDINGS)[number]["code"];

/** A broken claim is fixed, not suppressed. */
export const SUPPRESSIBLE_VERIFICATION: ReadonlySet<string> = new Set(
  VERIFICATION_FINDINGS.map(({ code }) => code).filter((code) => code !== "claim_violated"),
);
