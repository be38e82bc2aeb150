import type { Reason } from "../../artifact/reasons.js";
import { isBeyond } from "../model/caps.js";
import type { Plan } from "../trace/plan.js";

/** What searches found of a rule. */
export interface RuleFinding {
  /** The shortest session at whose end this rule alone refuses. */
  readonly alone: Plan | null;
  /** The session at whose end it refuses together with the fewest other rules, and their ids. */
  readonly together: { readonly plan: Plan; readonly others: readonly string[] } | null;
}

const NOTHING: RuleFinding = { alone: null, together: null };

/** A session that was found; its plan is built only if the session is kept. */
export interface LazyPlan {
  readonly length: number;
  plan(): Plan;
}

function isShorter({ length }: LazyPlan, than: Plan | null | undefined): boolean {
  return than === null || than === undefined || length < than.actions.length;
}

/** What the searches in one pack have found, with the shortest session for each finding. */
export class Findings {
  private readonly rules = new Map<string, RuleFinding>();
  private readonly allowed = new Map<string, Plan>();
  private readonly verdicts = new Map<string, Map<Reason, Plan>>();

  /** Grows with every new finding, so that callers see whether a state brought one. */
  size = 0;

  /** With how many tools each rule was driven to its bound; after a few, another tool rarely succeeds. */
  private readonly drives = new Map<string, number>();

  /** Whether a rule may be driven to its bound with one more tool; tools that are never allowed do not count. */
  mayDrive(id: string, isAllowed: boolean): boolean {
    const drives = this.drives.get(id) ?? 0;
    if (isAllowed) this.drives.set(id, drives + 1);
    return !isBeyond(drives + 1, "drives");
  }

  rule(id: string): RuleFinding {
    return this.rules.get(id) ?? NOTHING;
  }

  /** The shortest session at whose end the tool is allowed. */
  allowedCall(tool: string): Plan | null {
    return this.allowed.get(tool) ?? null;
  }

  /** The reasons for which calls of the tool are refused. */
  reasons(tool: string): ReadonlyMap<Reason, Plan> {
    return this.verdicts.get(tool) ?? new Map();
  }

  addAlone(id: string, lazyPlan: LazyPlan): void {
    const known = this.rule(id);
    if (known.alone === null) this.size += 1;
    if (isShorter(lazyPlan, known.alone)) this.rules.set(id, { ...known, alone: lazyPlan.plan() });
  }

  addTogether(id: string, lazyPlan: LazyPlan, others: readonly string[]): void {
    const known = this.rule(id);
    const fewest = known.together?.others.length ?? Number.POSITIVE_INFINITY;
    if (others.length < fewest) this.size += 1;
    if (others.length < fewest) this.rules.set(id, { ...known, together: { plan: lazyPlan.plan(), others } });
  }

  addAllowed(tool: string, lazyPlan: LazyPlan): void {
    if (!this.allowed.has(tool)) this.size += 1;
    if (isShorter(lazyPlan, this.allowed.get(tool))) this.allowed.set(tool, lazyPlan.plan());
  }

  addVerdict(tool: string, reason: Reason, lazyPlan: LazyPlan): void {
    const known = this.verdicts.get(tool) ?? new Map<Reason, Plan>();
    this.verdicts.set(tool, known);
    if (!known.has(reason)) this.size += 1;
    if (isShorter(lazyPlan, known.get(reason))) known.set(reason, lazyPlan.plan());
  }
}
