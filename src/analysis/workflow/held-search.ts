import type { RoleClaim } from "../../artifact/claim.js";
import { isTouch, touchesOf } from "../../workflow/rules/touched-resources.js";
import type { ResourceMode } from "../../workflow/rules/workflow-rules.js";
import { resourceName } from "../../workflow/state/shared-resource.js";
import { first } from "../model/caps.js";
import type { Action } from "../trace/plan.js";
import { principalsOf, runOf } from "./joint-run.js";
import type { LineUp } from "./lifecycle-search.js";
import { actionOf, ownedBy, type RoleCall } from "./role-space.js";
import type { WorkflowAction, WorkflowPlan } from "./workflow-plan.js";
import type { WorkflowUnderTest } from "./workflow-under-test.js";

type HeldClaim = RoleClaim & { readonly kind: "never_while_held" };

/** A session up to a call of interest. */
interface Approach {
  readonly way: readonly Action[];
  readonly last: Action;
  /** What it owns before the call, and with it. */
  readonly held: readonly string[];
  /** The resource under the alias of the claim that the call touches. */
  readonly touched: string | null;
}

/** Whether a call makes its session hold a resource under a mode, at least until it is settled. */
function holds(mode: ResourceMode, { isMutating }: RoleCall): boolean {
  return isMutating || mode === "exclusive_pending";
}

/** The shortest of the approaches that do not differ in what others notice. */
function distinct(all: readonly Approach[]): readonly Approach[] {
  const byEffect = new Map<string, Approach>();
  for (const each of [...all].sort((a, b) => a.way.length - b.way.length)) {
    const effect = JSON.stringify([each.held, each.touched]);
    if (!byEffect.has(effect)) byEffect.set(effect, each);
  }
  return [...byEffect.values()];
}

/** The resource under an alias that a call touches. */
export function touchedName(under: WorkflowUnderTest, role: string, alias: string, action: Action): string | null {
  if (action.kind !== "call") return null;
  const touch = touchesOf(under.role(role).rules, action.args).find(({ resource }) => resource.alias === alias);
  return touch !== undefined && isTouch(touch) ? resourceName({ alias, key: touch.key }) : null;
}

/**
 * Finds runs in which one session calls a tool while another one holds a resource. Each of the two goes as far as it can by itself;
 * then the one takes hold, and the other calls. No other order allows more: what a session owns stays owned, and what it only uses is
 * free again once its call is settled.
 */
export class HeldSearch {
  constructor(
    private readonly under: WorkflowUnderTest,
    private readonly claim: HeldClaim,
  ) {}

  /** A run that breaks the claim; null if none was found. */
  find({ actions, state }: LineUp): WorkflowPlan | null {
    const ids = [...state.sessions.values()].filter(({ status }) => status === "active");
    const caller = ids.find(({ role }) => role === this.claim.role)?.id ?? "";
    const holder = ids.find(({ id, role }) => role === this.claim.holder && id !== caller)?.id ?? "";
    const pairs = this.callers().flatMap((one) => this.holders().map((other) => ({ one, other })));
    const meant = pairs.filter(({ one, other }) => this.isMeant(one, other));
    meant.sort((a, b) => a.one.way.length + a.other.way.length - (b.one.way.length + b.other.way.length));
    for (const { one, other } of first(meant, "pairs_composed")) {
      const acts = (session: string, all: readonly Action[]) =>
        all.map((action): WorkflowAction => ({ kind: "act", session, action }));
      const all: readonly WorkflowAction[] = [
        ...actions,
        ...acts(caller, one.way),
        ...acts(holder, [...other.way, other.last]),
        ...acts(caller, [one.last]),
      ];
      const plan = { env: this.under.env, principals: principalsOf(this.under, all), actions: all };
      if (runOf(this.under, plan) !== null) return plan;
    }
    return null;
  }

  /** Whether the call touches the resource that is held, or none; and nobody is in the way of the other. */
  private isMeant(one: Approach, other: Approach): boolean {
    const isSame = one.touched === null || one.touched === other.touched;
    return isSame && !one.held.some((name) => other.held.includes(name));
  }

  private callers(): readonly Approach[] {
    const { role, tool, alias } = this.claim;
    const space = this.under.space(role);
    const found = space.states.flatMap((state) =>
      state.edges
        .filter(({ call }) => call.tool === tool)
        .map(({ call }): Approach => {
          const last = actionOf(call, { kind: "open" });
          const held = [...new Set([...state.held, ...ownedBy(call)])].sort();
          return { way: space.actionsTo(state), last, held, touched: touchedName(this.under, role, alias, last) };
        }),
    );
    return distinct(found);
  }

  private holders(): readonly Approach[] {
    const { holder, alias } = this.claim;
    const mode = this.under.rules.modes.get(alias);
    const space = this.under.space(holder);
    if (mode === undefined) return [];
    const found = space.states.flatMap((state) =>
      state.edges
        .filter(({ call }) => holds(mode, call) && call.touches.some((touch) => touch.alias === alias))
        .map(({ call, outcome }): Approach => {
          // An owner stays one when the call is settled; the other modes hold only what is unsettled.
          const last = actionOf(call, mode === "single_writer" ? outcome : { kind: "open" });
          const held = [...new Set([...state.held, ...ownedBy(call)])].sort();
          return { way: space.actionsTo(state), last, held, touched: touchedName(this.under, holder, alias, last) };
        }),
    );
    return distinct(found);
  }
}
