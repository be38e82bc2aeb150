import type { Proposal } from "../../../src/guard/program/program.js";
import { judgeClosing, judgeEntries } from "../../../src/guard/values/judge-value.js";
import type { RandomSession } from "./random-session.js";
import type { CallClaim } from "./small-claims.js";

/** Whether a call that a session allows breaks a claim. */
export function brokenBy(
  claim: CallClaim,
  { committed, calls, session, program }: RandomSession,
  { proposal, isApproved }: { readonly proposal: Proposal; readonly isApproved: boolean },
): boolean {
  if (claim.tool !== proposal.tool.name) return false;
  switch (claim.kind) {
    case "requires_approval":
      return !isApproved && judgeEntries(claim.when, proposal.args, program.env, judgeClosing) === true;
    case "never_without_prior":
      return !committed.has(claim.prior);
    case "never_after":
      return committed.has(claim.after);
    case "at_most":
      return (calls.get(claim.tool) ?? 0) >= claim.calls;
    case "never_when_label":
      return session.labels.has(claim.label);
  }
}
