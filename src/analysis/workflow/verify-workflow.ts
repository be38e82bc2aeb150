import type { RoleClaim } from "../../artifact/claim.js";
import { roleClaimText } from "../../artifact/claim-wording.js";
import type { Artifact } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { invariant, unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { workflowRules } from "../../workflow/rules/workflow-rules.js";
import { resourceNamed } from "../../workflow/state/shared-resource.js";
import { isBeyond, type MetName, recorded } from "../model/caps.js";
import type { SearchBounds } from "../search/search.js";
import type { Verification } from "../verification.js";
import { type Deadlock, DeadlockSearch } from "./deadlock-search.js";
import { HeldSearch } from "./held-search.js";
import { principalsOf, runOf } from "./joint-run.js";
import { activeIn, activeTogether, LifecycleSearch, type LineUp, type Wanted } from "./lifecycle-search.js";
import { playWorkflow } from "./play-workflow.js";
import { RoleProver } from "./role-proof.js";
import { plannedActions } from "./trace-plan.js";
import type { WorkflowAction, WorkflowPlan } from "./workflow-plan.js";
import type { WorkflowTrace } from "./workflow-trace.js";
import { WorkflowUnderTest } from "./workflow-under-test.js";
import type { DeadlockResult, RoleClaimResult, WorkflowVerification } from "./workflow-verification.js";

/** What is claimed of a workflow, and what is known of the packs of its roles. */
export interface GivenWorkflow {
  readonly claims: readonly RoleClaim[];
  /** For each pack of the artifact, in its order; null for one that was not explored. */
  readonly packs: readonly (Verification | null)[];
  /** A new store, for each run that is replayed. */
  readonly openStore: () => DurableStore;
}

/** How far a workflow is explored. */
export interface WorkflowBounds extends SearchBounds {
  /** The largest number of sessions of one role in a run. */
  readonly sessions: number;
}

/** The result of a search for a run that breaks a claim. */
interface Tried {
  readonly plan: WorkflowPlan | null;
  readonly states: number;
  readonly met: readonly MetName[];
}

/** Reports the findings in one workflow. */
class WorkflowVerifier {
  private readonly prover: RoleProver;
  private readonly met = new Set<MetName>();
  private lifecycleStates = 0;

  constructor(
    private readonly under: WorkflowUnderTest,
    private readonly given: GivenWorkflow,
    private readonly bounds: WorkflowBounds,
  ) {
    this.prover = new RoleProver(under);
  }

  async verify(): Promise<WorkflowVerification> {
    const claims: RoleClaimResult[] = [];
    for (const claim of this.given.claims) claims.push(await this.claimResult(claim));
    const search = new DeadlockSearch(this.under, this.bounds);
    const deadlocks: DeadlockResult[] = [];
    for (const deadlock of recorded(this.met, () => search.find())) deadlocks.push(await this.deadlockResult(deadlock));
    for (const name of [...this.under.met, ...this.under.metBy(search.roles)]) this.met.add(name);
    const { depth, states, sessions } = this.bounds;
    const explored = this.under.explored + this.lifecycleStates;
    const bounds = { depth, states, sessions, explored, hit: [...this.met].sort() };
    return { workflow: this.under.rules.name, bounds, claims, deadlocks };
  }

  private async claimResult(claim: RoleClaim): Promise<RoleClaimResult> {
    const { at } = claim;
    const text = roleClaimText(claim);
    const proof = this.prover.holds(claim);
    if (proof !== null) {
      const { by, because } = proof;
      return { at, text, status: "proved", by, because, states: 0, met: [], trace: null };
    }
    const met = new Set<MetName>();
    const tried = recorded(met, () => this.tried(claim));
    const open = { at, text, by: null, because: null, states: tried.states };
    if (tried.plan !== null) return { ...open, status: "violated", met: [], trace: await this.played(tried.plan) };
    for (const name of [...tried.met, ...met]) this.met.add(name);
    return { ...open, status: "no_counterexample", met: [...new Set([...tried.met, ...met])].sort(), trace: null };
  }

  /** A run that was found, replayed on the workflow as users open it, which must do the same. */
  private async played(plan: WorkflowPlan): Promise<WorkflowTrace> {
    const trace = await playWorkflow(this.under.artifact, plan, this.given.openStore);
    const found = canonicalJson(plain(runOf(this.under, plan)));
    invariant(canonicalJson(plain(trace)) === found, "the workflow does what was found of it");
    return trace;
  }

  private tried(claim: RoleClaim): Tried {
    switch (claim.kind) {
      case "never_in_role":
        return this.tryCalling(claim.role, claim.tool);
      case "never_while_held":
        return this.tryHolding(claim);
      case "at_most_sessions":
        return this.tryStarting(claim.role, claim.sessions);
      default:
        return unreachable(claim);
    }
  }

  /** The session of the pack that shows the tool allowed, in a workflow that has nothing else to do. */
  private tryCalling(role: string, tool: string): Tried {
    const { rules } = this.under.role(role);
    const result = this.given.packs[rules.pack]?.tools.find((each) => each.tool === tool);
    const { lineUp, states } = this.arranged(activeTogether([role], this.bounds.sessions));
    const met = result?.met ?? [];
    if (result === undefined || result.trace === null || lineUp === null) return { plan: null, states, met };
    const [session = ""] = activeIn(lineUp.state, role);
    const acts = plannedActions(result.trace).map((action): WorkflowAction => ({ kind: "act", session, action }));
    const actions = [...lineUp.actions, ...acts];
    const principals = principalsOf(this.under, actions, new Map([[session, result.trace.principal]]));
    const plan = { env: { ...this.under.env, ...result.trace.env }, principals, actions };
    // Another way may do with what the limits of the workflow leave.
    if (runOf(this.under, plan) === null) return { plan: null, states, met: [...met, "one_way"] };
    return { plan, states, met };
  }

  private tryHolding(claim: RoleClaim & { readonly kind: "never_while_held" }): Tried {
    const { role, holder } = claim;
    const lifecycle = new LifecycleSearch(this.under.rules, this.bounds);
    const plan = new HeldSearch(this.under, claim, this.bounds.sessions).find(lifecycle);
    this.lifecycleStates += lifecycle.explored;
    const met = [...this.under.met, ...this.under.metBy([role, holder])];
    return { plan, states: lifecycle.explored + this.exploredOf([role, holder]), met };
  }

  private exploredOf(roles: readonly string[]): number {
    return [...new Set(roles)].reduce((sum, role) => sum + this.under.space(role).explored, 0);
  }

  private tryStarting(role: string, sessions: number): Tried {
    const wanted = sessions + 1;
    if (isBeyond(wanted, "sessions_counted")) return { plan: null, states: 0, met: [] };
    const { lineUp, states } = this.arranged({
      roles: [role],
      most: (name) => (name === role ? wanted : this.bounds.sessions),
      isMet: (state) => [...state.sessions.values()].filter((member) => member.role === role).length >= wanted,
    });
    if (lineUp === null) return { plan: null, states, met: [] };
    const { actions } = lineUp;
    return { plan: { env: this.under.env, principals: principalsOf(this.under, actions), actions }, states, met: [] };
  }

  private arranged(wanted: Wanted): { readonly lineUp: LineUp | null; readonly states: number } {
    const search = new LifecycleSearch(this.under.rules, this.bounds);
    const lineUp = search.find(wanted);
    this.lifecycleStates += search.explored;
    return { lineUp, states: search.explored };
  }

  private async deadlockResult({ members, plan, isProved }: Deadlock): Promise<DeadlockResult> {
    const sessions = members.map(({ session, role, held, wanted: { tool, args }, awaited }) => ({
      session,
      role,
      holds: held.map(resourceNamed),
      wants: { tool, args, resources: awaited.map(resourceNamed) },
    }));
    const alias = sessions[0]?.wants.resources[0]?.alias;
    const at = this.under.artifact.workflow?.shared_resources.find((each) => each.alias === alias)?.at;
    return { at: at ?? this.under.rules.at, isProved, sessions, trace: await this.played(plan) };
  }
}

/** As JSON, which is what a trace is for programs. */
function plain(trace: WorkflowTrace | null): Json {
  return JSON.parse(JSON.stringify(trace));
}

/** Explores the workflow of an artifact, and checks the claims about its roles; null where it has none. */
export async function verifyWorkflow(
  artifact: Artifact,
  given: GivenWorkflow,
  bounds: WorkflowBounds,
): Promise<WorkflowVerification | null> {
  const rules = workflowRules(artifact);
  if (rules === null) return null;
  return new WorkflowVerifier(new WorkflowUnderTest(artifact, rules, bounds), given, bounds).verify();
}
