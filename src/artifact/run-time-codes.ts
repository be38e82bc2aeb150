import type { Advice } from "./reason-advice.js";

/** A code of the guard that refuses no call: what it means, why, and what to do. */
export interface ExplainedCode extends Advice {
  readonly what: string;
}

const EFFECT = "What is counted must be what happened, told once.";

/** Why a settlement is not accepted; it changes nothing then. */
export const SETTLEMENT_REFUSALS = {
  unknown_call: {
    what: "the session has no call of this id",
    why: "Only a call that the guard allowed is reserved, and only a reserved call can be settled.",
    fix: "Pass the `callId` of the verdict, to a guard of the same session.",
  },
  already_settled: {
    what: "the call was settled before",
    why: EFFECT,
    fix: "Nothing is to be done where the call was settled alike; `state()` and the event `settled` tell how it was.",
  },
  outcome_is_open: {
    what: "the call is indeterminate, and only `happened` or `did_not_happen` settles it",
    why: "Once its answer was lost nobody knows whether the call took effect; that has to be found out, and said.",
    fix: "Find out what happened, and settle the call as `happened` or `did_not_happen`.",
  },
  committed_at_dispatch: {
    what: "the call counted from its dispatch on, and is not taken back",
    why: "With `commit_requirement: none`, or nothing to verify, a call is taken to have happened as soon as it is sent.",
    fix: "Leave it counted; if calls of the tool are to be taken back, its contract needs `commit_requirement: acknowledged`.",
  },
} as const satisfies Readonly<Record<string, ExplainedCode>>;

export type SettlementRefusal = keyof typeof SETTLEMENT_REFUSALS;

/** What `checkRequest` warns of; the request may be sent. */
export const REQUEST_WARNINGS = {
  provider_warning: {
    what: "the request matches a pattern of `warn_incompatible`",
    why: "Whoever wrote the pack wants to know of this combination, and does not block it.",
    fix: "Change one of the parameters that the warning names, or move the pattern to `block_incompatible`.",
  },
  floating_alias: {
    what: "the model is named without a date, or as the latest one",
    why: "The provider may put another model behind such a name at any time.",
    fix: "Name a dated version of the model.",
  },
} as const satisfies Readonly<Record<string, ExplainedCode>>;

export type RequestWarningCode = keyof typeof REQUEST_WARNINGS;
