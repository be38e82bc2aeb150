import type { RoleClaim } from "../../artifact/claim.js";
import { unreachable } from "../../base/invariant.js";
import type { ResourceMode } from "../../workflow/rules/workflow-rules.js";
import type { Proof } from "../proof/proof.js";
import { Prover } from "../proof/prover.js";
import { isAlwaysThere } from "./named-resource.js";
import type { Role, WorkflowUnderTest } from "./workflow-under-test.js";

/** What proofs about tools without a contract depend on. */
const UNMATCHED = 'unless `unmatched: "allow"` is given';

function proof(by: Proof["by"], because: string): Proof {
  return { by, because, rules: [] };
}

/** Whether a mode keeps a call of others off a resource that is held. */
function isRefusedBy(mode: ResourceMode, isMutating: boolean): boolean {
  return isMutating || mode === "exclusive_pending";
}

/** Proves claims about roles from the rules alone, for every run of the workflow; an unproved claim may still hold. */
export class RoleProver {
  private readonly provers = new Map<string, Prover>();
  /** By role, the fewest sessions that must have started for one of it, itself included. */
  private readonly chains: ReadonlyMap<string, number>;

  constructor(private readonly under: WorkflowUnderTest) {
    this.chains = this.leastChains();
  }

  /** Why a claim holds; null if that is not known. */
  holds(claim: RoleClaim): Proof | null {
    const role = this.under.role(claim.role);
    switch (claim.kind) {
      case "never_in_role":
        return this.neverCalled(role, claim.tool);
      case "never_while_held":
        return this.neverCalled(role, claim.tool) ?? this.neverMet(role, claim);
      case "at_most_sessions":
        return this.neverStarts(role) ?? this.atMost(role, claim.sessions);
      default:
        return unreachable(claim);
    }
  }

  private leastChains(): ReadonlyMap<string, number> {
    const { roles, handoffs } = this.under.rules;
    const chains = new Map<string, number>();
    let ends = [...roles.values()].filter(({ needsHandoff }) => !needsHandoff).map(({ name }) => name);
    for (let length = 1; ends.length > 0; length++) {
      for (const name of ends) chains.set(name, length);
      const next = ends.flatMap((name) => [...(handoffs.get(name)?.keys() ?? [])]);
      ends = [...new Set(next)].filter((name) => !chains.has(name));
    }
    return chains;
  }

  private neverStarts({ rules: { name } }: Role): Proof | null {
    const because = `no session of the role \`${name}\` ever starts`;
    const chain = this.chains.get(name);
    if (chain === undefined) return proof("role_never_starts", `${because}: no root leads to it by handoffs`);
    const { max_sessions: ever, max_active_sessions: active, max_open_handoffs: open } = this.under.rules.limits;
    const isBeyond = (limit: number | null, needed: number) => limit !== null && limit < needed;
    // A parent that abandons its children may end before they go on, so that two active sessions suffice for any chain.
    const isLimited =
      isBeyond(ever, chain) || isBeyond(active, Math.min(chain, 2)) || isBeyond(open, Math.min(chain - 1, 1));
    return isLimited ? proof("role_never_starts", `${because}: the limits of the workflow leave no room for it`) : null;
  }

  /** Why no session of a role ever calls a tool. */
  private neverCalled(role: Role, tool: string): Proof | null {
    const { name } = role.rules;
    const never = this.neverStarts(role);
    if (never !== null) return never;
    const { max_total_steps: steps, max_total_cost: cost } = this.under.rules.limits;
    if (steps === 0 || cost === 0) return proof("limit_of_zero", "a limit of the workflow allows no call at all");
    if (!role.pack.tools.some((each) => each.name === tool)) {
      const because = `the pack of the role \`${name}\` has no contract for it, and calls without one are refused, ${UNMATCHED}`;
      return proof("no_contract", because);
    }
    const own = this.prover(role).neverAllowed(tool);
    if (own === null) return null;
    return proof("never_allowed", `no call of \`${tool}\` is ever allowed in the role \`${name}\`: ${own.because}`);
  }

  private prover({ rules: { name }, pack, under }: Role): Prover {
    const known = this.provers.get(name) ?? new Prover(pack, under.rules);
    this.provers.set(name, known);
    return known;
  }

  /** Why a call of the tool never meets a held resource. */
  private neverMet(role: Role, claim: RoleClaim & { readonly kind: "never_while_held" }): Proof | null {
    const { tool: name, holder: holderName, alias } = claim;
    const holder = this.under.role(holderName);
    const mode = this.under.rules.modes.get(alias);
    const never = this.neverStarts(holder);
    if (never !== null || mode === undefined) return never;
    const taking = holder.pack.tools.filter(
      (tool) => isRefusedBy(mode, tool.side_effect !== "read") && this.prover(holder).neverAllowed(tool.name) === null,
    );
    if (taking.length === 0) {
      const because = `no tool of the role \`${holderName}\` that can be called ever holds \`${alias}\`: calls without a contract are refused, ${UNMATCHED}`;
      return proof("never_held", because);
    }
    if (role === holder && this.mostSessions(role) <= 1)
      return proof("one_session", `there is never more than one session of the role \`${holderName}\``);
    const tool = role.pack.tools.find((each) => each.name === name);
    const resource = role.rules.resources.find((each) => each.alias === alias);
    if (tool === undefined || resource === undefined || !isAlwaysThere(tool, resource.path)) return null;
    if (!isRefusedBy(mode, tool.side_effect !== "read")) return null;
    const because = `every call of it names its \`${alias}\`, and \`${mode}\` refuses the call while another session holds that one`;
    return proof("resource_refuses", because);
  }

  /** The most sessions of a role that can ever start, as far as `max_sessions` says. */
  private mostSessions({ rules: { name } }: Role): number {
    const { max_sessions: ever } = this.under.rules.limits;
    // Every session of the role needs the same others at least: those on the shortest way to it.
    return ever === null ? Number.POSITIVE_INFINITY : ever - ((this.chains.get(name) ?? 1) - 1);
  }

  private atMost(role: Role, sessions: number): Proof | null {
    const bound = this.mostSessions(role);
    if (bound > sessions) return null;
    const chain = this.chains.get(role.rules.name) ?? 1;
    const others = chain === 1 ? "" : `, ${chain - 1} of them of other roles`;
    return proof("session_limit", `a workflow has at most ${this.under.rules.limits.max_sessions} sessions${others}`);
  }
}
