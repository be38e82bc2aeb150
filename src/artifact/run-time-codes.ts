import type { Advice } from "./reason-advice.js";

/** A code of the guard that refuses no call: what it means, why, and what to do. */
export interface ExplainedCode extends Advice {
  readonly what: string;
}

const EFFECT = "A call is counted once, as it happened.";

/** Why a settlement is not accepted; such a settlement changes nothing. */
export const SETTLEMENT_REFUSALS = {
  unknown_call: {
    what: "the session has no call with this id",
    why: "Only a call that the guard allowed is reserved, and only a reserved call can be settled.",
    fix: "Pass the `callId` of the verdict, to a guard of the same session.",
  },
  already_settled: {
    what: "the call was settled before",
    why: EFFECT,
    fix: "Do nothing if the call was settled the same way; `state()` and the event `settled` show how it was settled.",
  },
  outcome_is_open: {
    what: "the call is indeterminate, and only `happened` or `did_not_happen` settles it",
    why: "Once the answer is lost, it is unknown whether the call took effect; that has to be found out and recorded.",
    fix: "Find out what happened, and settle the call as `happened` or `did_not_happen`.",
  },
  no_late_result: {
    what: "the call has no late result to acknowledge",
    why: EFFECT,
    fix: "Pass the `callId` that the refusal `late_result_unacknowledged` names.",
  },
  committed_at_dispatch: {
    what: "the call counts from its dispatch on, and cannot be released",
    why: "With `commit_requirement: none`, or nothing to verify, a call counts as happened as soon as it is sent.",
    fix: "Leave it counted; if calls of the tool should be releasable, its contract needs `commit_requirement: acknowledged`.",
  },
} as const satisfies Readonly<Record<string, ExplainedCode>>;

export type SettlementRefusal = keyof typeof SETTLEMENT_REFUSALS;

/** What `checkRequest` warns about; the request may be sent. */
export const REQUEST_WARNINGS = {
  provider_warning: {
    what: "the request matches a pattern of `warn_incompatible`",
    why: "The author of the pack wants a warning for this combination, not a block.",
    fix: "Change one of the parameters that the warning names, or move the pattern to `block_incompatible`.",
  },
  floating_alias: {
    what: "the model is named without a date, or as the latest one",
    why: "The provider may put another model behind such a name at any time.",
    fix: "Name a dated version of the model.",
  },
} as const satisfies Readonly<Record<string, ExplainedCode>>;

export type RequestWarningCode = keyof typeof REQUEST_WARNINGS;
