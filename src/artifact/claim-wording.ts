import { unreachable } from "../base/invariant.js";
import { wantedOf } from "../operators/wording.js";
import type { ClaimBody, RoleClaimBody } from "./claim.js";

/** A claim in words. */
export function claimText(claim: ClaimBody): string {
  switch (claim.kind) {
    case "never_without_prior":
      return `\`${claim.tool}\` is never called before a call of \`${claim.prior}\` was committed`;
    case "never_after":
      return `\`${claim.tool}\` is never called after a call of \`${claim.after}\` was committed`;
    case "never_when_label":
      return `\`${claim.tool}\` is never called while the session carries the label \`${claim.label}\``;
    case "always_possible":
      return `${claim.reach.map((phase) => `\`${phase}\``).join(" or ")} can always be reached`;
    case "at_most":
      return `\`${claim.tool}\` is called at most ${claim.calls === 1 ? "once" : `${claim.calls} times`}`;
    case "requires_approval": {
      const conditions = claim.when
        .map(({ path, operators }) => wantedOf(path.kind === "definite" ? path.text : `any of ${path.text}`, operators))
        .join(" and ");
      return `\`${claim.tool}\` needs an approval${conditions === "" ? "" : ` when ${conditions}`}`;
    }
    default:
      return unreachable(claim);
  }
}

/** A claim about roles in words. */
export function roleClaimText(claim: RoleClaimBody): string {
  switch (claim.kind) {
    case "never_in_role":
      return `\`${claim.tool}\` is never called by a session of the role \`${claim.role}\``;
    case "never_while_held":
      return `\`${claim.tool}\` is never called by a session of the role \`${claim.role}\` while another, of the role \`${claim.holder}\`, holds \`${claim.alias}\``;
    case "at_most_sessions":
      return `the role \`${claim.role}\` has at most ${claim.sessions === 1 ? "one session" : `${claim.sessions} sessions`}`;
    default:
      return unreachable(claim);
  }
}
