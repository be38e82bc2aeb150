import type { ClaimBody, PackClaims } from "../../artifact/claim.js";
import { invariant } from "../../base/invariant.js";
import { assertWhole } from "../../language/draft.js";
import type { ClaimEntry, ClaimsContract } from "../../language/schema/claims.js";
import type { RuleContext } from "../rule-context.js";
import { lowerInvariant, placeIn } from "./lower-value.js";

function lowerNever(never: NonNullable<ClaimEntry["never"]>): ClaimBody {
  const { tool, without_prior: prior, after, when_label: label } = never;
  if (prior !== undefined) return { kind: "never_without_prior", tool, prior };
  if (after !== undefined) return { kind: "never_after", tool, after };
  invariant(label !== undefined, "`never` has a condition");
  return { kind: "never_when_label", tool, label };
}

function lowerBody(claim: ClaimEntry, terminal: readonly string[]): ClaimBody {
  const { never, always_possible: possible, at_most: most, requires_approval: approval } = claim;
  if (never !== undefined) return lowerNever(never);
  if (possible !== undefined) {
    const { reach } = possible;
    return { kind: "always_possible", reach: reach === "terminal" ? terminal : [reach] };
  }
  if (most !== undefined) return { kind: "at_most", tool: most.tool, calls: most.calls };
  invariant(approval !== undefined, "a claim has a statement");
  return { kind: "requires_approval", tool: approval.tool, when: (approval.when ?? []).map(lowerInvariant) };
}

/** Lowers the claims of a pack without errors. */
export function lowerClaims(context: RuleContext): PackClaims {
  if (context.claims === null) return [];
  const { claims } = assertWhole<ClaimsContract>(context.claims);
  const terminal = [...context.graph().terminal];
  return claims.map((claim) => ({
    at: placeIn(claim),
    reason: claim.reason ?? null,
    ...lowerBody(claim, terminal),
  }));
}
