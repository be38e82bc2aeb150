import type { PackRule } from "../../../artifact/pack-rules.js";
import type { Divergence } from "../../difference.js";
import type { Plan } from "../../trace/plan.js";

/** A session at whose end two packs differ. */
export interface FoundDivergence {
  readonly tool: string;
  readonly now: "allowed" | "refused";
  readonly over: Divergence["over"];
  /** The rule that refuses, of the old pack or the new one; null if none does. */
  readonly rule: PackRule | null;
  readonly length: number;
  plan(): Plan;
}

/** A divergence that is kept, with its plan built. */
export type KeptDivergence = Omit<FoundDivergence, "plan" | "length"> & { readonly plan: Plan };

/** The shortest session for each tool, direction and rule. */
export class DivergenceList {
  private readonly byKey = new Map<string, KeptDivergence>();

  add(found: FoundDivergence): void {
    const { tool, now, over, rule } = found;
    const key = `${tool}\n${now}\n${rule?.id}`;
    const known = this.byKey.get(key);
    if (known !== undefined && known.plan.actions.length <= found.length) return;
    this.byKey.set(key, { tool, now, over, rule, plan: found.plan() });
  }

  get all(): readonly KeptDivergence[] {
    return [...this.byKey.values()].sort((a, b) => a.plan.actions.length - b.plan.actions.length);
  }

  /** Whether a rule was seen to cause a divergence of a tool in a direction. */
  has(tool: string, now: "allowed" | "refused", ruleId: string | null): boolean {
    return ruleId === null ? false : this.byKey.has(`${tool}\n${now}\n${ruleId}`);
  }

  hasAny(tool: string, now: "allowed" | "refused"): boolean {
    return [...this.byKey.values()].some((kept) => kept.tool === tool && kept.now === now);
  }
}
