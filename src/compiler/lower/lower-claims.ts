import type { Claim, ClaimBody, PackClaims, RoleClaim, RoleClaimBody } from "../../artifact/claim.js";
import { invariant } from "../../base/invariant.js";
import { assertWhole } from "../../language/draft.js";
import type { ClaimEntry, ClaimsContract } from "../../language/schema/claims.js";
import type { RuleContext } from "../rule-context.js";
import { lowerInvariant, placeIn } from "./lower-value.js";

function lowerNever(never: NonNullable<ClaimEntry["never"]>): ClaimBody | RoleClaimBody {
  const { tool, role, without_prior: prior, after, when_label: label, while: held } = never;
  if (role !== undefined) {
    if (held === undefined) return { kind: "never_in_role", role, tool };
    return { kind: "never_while_held", role, tool, holder: held.role, alias: held.holds };
  }
  if (prior !== undefined) return { kind: "never_without_prior", tool, prior };
  if (after !== undefined) return { kind: "never_after", tool, after };
  invariant(label !== undefined, "`never` has a condition");
  return { kind: "never_when_label", tool, label };
}

function lowerMost({ tool, calls, role, sessions }: NonNullable<ClaimEntry["at_most"]>): ClaimBody | RoleClaimBody {
  if (role !== undefined && sessions !== undefined) return { kind: "at_most_sessions", role, sessions };
  invariant(tool !== undefined && calls !== undefined, "`at_most` is about a tool or a role");
  return { kind: "at_most", tool, calls };
}

function lowerBody(claim: ClaimEntry, terminal: readonly string[]): ClaimBody | RoleClaimBody {
  const { never, always_possible: possible, at_most: most, requires_approval: approval } = claim;
  if (never !== undefined) return lowerNever(never);
  if (possible !== undefined) {
    const { reach } = possible;
    return { kind: "always_possible", reach: reach === "terminal" ? terminal : [reach] };
  }
  if (most !== undefined) return lowerMost(most);
  invariant(approval !== undefined, "a claim has a statement");
  return { kind: "requires_approval", tool: approval.tool, when: (approval.when ?? []).map(lowerInvariant) };
}

/** Lowers every claim of a file without errors, in its order. */
export function lowerAllClaims(context: RuleContext): readonly (Claim | RoleClaim)[] {
  if (context.claims === null) return [];
  const { claims } = assertWhole<ClaimsContract>(context.claims);
  const terminal = [...context.graph().terminal];
  return claims.map((claim) => ({
    at: placeIn(claim),
    reason: claim.reason ?? null,
    ...lowerBody(claim, terminal),
  }));
}

/** Whether a claim is about the roles of a workflow. */
function isOfRoles(claim: Claim | RoleClaim): claim is RoleClaim {
  return claim.kind === "never_in_role" || claim.kind === "never_while_held" || claim.kind === "at_most_sessions";
}

/** The claims about the sessions of a pack. */
export function lowerClaims(context: RuleContext): PackClaims {
  return lowerAllClaims(context).filter((claim): claim is Claim => !isOfRoles(claim));
}

/** The claims about the roles of a workflow. */
export function lowerRoleClaims(context: RuleContext): readonly RoleClaim[] {
  return lowerAllClaims(context).filter(isOfRoles);
}
