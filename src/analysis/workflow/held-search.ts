import type { RoleClaim } from "../../artifact/claim.js";
import { isTouch, touchesOf } from "../../workflow/rules/touched-resources.js";
import type { ResourceMode } from "../../workflow/rules/workflow-rules.js";
import { resourceName } from "../../workflow/state/shared-resource.js";
import type { Member } from "../../workflow/state/workflow-state.js";
import { first } from "../model/caps.js";
import type { Action } from "../trace/plan.js";
import { principalsOf, runOf } from "./joint-run.js";
import { activeIn, activeTogether, type LifecycleSearch } from "./lifecycle-search.js";
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
function touchedName(under: WorkflowUnderTest, role: string, alias: string, action: Action): string | null {
  if (action.kind !== "call") return null;
  const touch = touchesOf(under.role(role).rules, action.args).find(({ resource }) => resource.alias === alias);
  return touch !== undefined && isTouch(touch) ? resourceName({ alias, key: touch.key }) : null;
}

/** Sessions that stand ready for the two approaches. */
interface Stage {
  readonly caller: string;
  readonly holder: string;
  /** How they got there; the holder takes hold between the two, before it ends if it does. */
  readonly before: readonly WorkflowAction[];
  readonly between: readonly WorkflowAction[];
  /** Whether the holder has ended when the caller begins: only its unsettled call still holds something. */
  readonly hasEnded: boolean;
}

/**
 * Finds runs in which one session calls a tool while another one holds a resource. Each of the two goes as far as it can by itself;
 * then the one takes hold, and the other calls. No other order allows more: what a session owns stays owned as long as it is active,
 * and what it only uses is free again once its call is settled. A session that ends gives up all but what its unsettled call uses, and
 * makes room for the other.
 */
export class HeldSearch {
  constructor(
    private readonly under: WorkflowUnderTest,
    private readonly claim: HeldClaim,
    private readonly sessions: number,
  ) {}

  /** A run that breaks the claim; null if none was found. */
  find(lifecycle: LifecycleSearch): WorkflowPlan | null {
    for (const stage of this.stages(lifecycle)) {
      const plan = this.on(stage);
      if (plan !== null) return plan;
    }
    return null;
  }

  private *stages(lifecycle: LifecycleSearch): Generator<Stage> {
    const { role, holder: holding } = this.claim;
    const together = activeTogether([role, holding], this.sessions);
    const lineUp = lifecycle.find(together);
    if (lineUp !== null) {
      const holder = activeIn(lineUp.state, holding).at(-1) ?? "";
      const caller = activeIn(lineUp.state, role).find((id) => id !== holder);
      if (caller !== undefined) yield { caller, holder, before: lineUp.actions, between: [], hasEnded: false };
    }
    const isOver = ({ role: name, status }: Member) => name === holding && status !== "active";
    const later = lifecycle.findWithEnds({
      ...together,
      isMet: (state) => activeIn(state, role).length > 0 && [...state.sessions.values()].some(isOver),
    });
    const [caller] = later === null ? [] : activeIn(later.state, role);
    if (later === null || caller === undefined) return;
    const holder = [...later.state.sessions.values()].find(isOver)?.id ?? "";
    const at = lifecycle.endOf(later, holder);
    const [before, between] = [later.actions.slice(0, at), later.actions.slice(at)];
    yield { caller, holder, before, between, hasEnded: true };
  }

  private on({ caller, holder, before, between, hasEnded }: Stage): WorkflowPlan | null {
    const pairs = this.callers().flatMap((one) => this.holders(hasEnded).map((other) => ({ one, other })));
    const meant = pairs.filter(({ one, other }) => this.isMeant(one, other));
    meant.sort((a, b) => a.one.way.length + a.other.way.length - (b.one.way.length + b.other.way.length));
    for (const { one, other } of first(meant, "pairs_composed")) {
      const acts = (session: string, all: readonly Action[]) =>
        all.map((action): WorkflowAction => ({ kind: "act", session, action }));
      const holding = acts(holder, [...other.way, other.last]);
      const run = hasEnded
        ? [...holding, ...between, ...acts(caller, [...one.way, one.last])]
        : [...acts(caller, one.way), ...holding, ...acts(caller, [one.last])];
      const actions = [...before, ...run];
      const plan = { env: this.under.env, principals: principalsOf(this.under, actions), actions };
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

  /** What a session holds that has ended is only what its last, unsettled call uses. */
  private holders(hasEnded: boolean): readonly Approach[] {
    const { holder, alias } = this.claim;
    const mode = this.under.rules.modes.get(alias);
    const space = this.under.space(holder);
    if (mode === undefined) return [];
    const found = space.states.flatMap((state) =>
      state.edges
        .filter(({ call }) => holds(mode, call) && call.touches.some((touch) => touch.alias === alias))
        .map(({ call, outcome }): Approach => {
          // An owner stays one when the call is settled; the other modes hold only what is unsettled.
          const last = actionOf(call, mode === "single_writer" && !hasEnded ? outcome : { kind: "open" });
          const held = [...new Set([...(hasEnded ? [] : state.held), ...ownedBy(call)])].sort();
          return { way: space.actionsTo(state), last, held, touched: touchedName(this.under, holder, alias, last) };
        }),
    );
    return distinct(found);
  }
}
