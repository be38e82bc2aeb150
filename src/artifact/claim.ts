import type { CompiledInvariant, Place } from "./compiled-value.js";

/** The statement of a claim. */
export type ClaimBody =
  /** No call of the tool is allowed before one of `prior` was committed. */
  | { readonly kind: "never_without_prior"; readonly tool: string; readonly prior: string }
  /** No call of the tool is allowed once one of `after` was committed. */
  | { readonly kind: "never_after"; readonly tool: string; readonly after: string }
  | { readonly kind: "never_when_label"; readonly tool: string; readonly label: string }
  /** One of the phases stays reachable. */
  | { readonly kind: "always_possible"; readonly reach: readonly string[] }
  | { readonly kind: "at_most"; readonly tool: string; readonly calls: number }
  /** A call that meets all conditions waits for an approval; without conditions every call does. */
  | { readonly kind: "requires_approval"; readonly tool: string; readonly when: readonly CompiledInvariant[] };

/** What must hold for every session under a pack; it is checked beforehand, so it is not part of the artifact. */
export type Claim = { readonly at: Place; readonly reason: string | null } & ClaimBody;

/** The statement of a claim about the roles of a workflow. */
export type RoleClaimBody =
  /** No call of the tool is allowed in a session of the role. */
  | { readonly kind: "never_in_role"; readonly role: string; readonly tool: string }
  /**
   * No call of the tool is allowed in a session of the role while another session, of the role `holder`, holds the shared
   * resource: the one that the call touches, or any if it touches none.
   */
  | {
      readonly kind: "never_while_held";
      readonly role: string;
      readonly tool: string;
      readonly holder: string;
      readonly alias: string;
    }
  /** Sessions of the role that are ever started in one workflow. */
  | { readonly kind: "at_most_sessions"; readonly role: string; readonly sessions: number };

/** What must hold for every run of a workflow. */
export type RoleClaim = { readonly at: Place; readonly reason: string | null } & RoleClaimBody;

/** The claims of one pack, in the order of its file. */
export type PackClaims = readonly Claim[];
