import type { PackRule } from "../../../artifact/pack-rules.js";
import type { Plan } from "../../trace/plan.js";

/** A session at whose end two packs differ. */
export interface Sighting {
  readonly tool: string;
  readonly now: "allowed" | "refused";
  /** The rule that refuses: the old pack's, or the new one's; null where none does. */
  readonly rule: PackRule | null;
  readonly length: number;
  plan(): Plan;
}

/** What a sighting is kept as. */
export type Kept = Omit<Sighting, "plan" | "length"> & { readonly plan: Plan };

/** The shortest session for each tool, direction and rule. */
export class DivergenceList {
  private readonly byKey = new Map<string, Kept>();

  add(sighting: Sighting): void {
    const { tool, now, rule } = sighting;
    const key = `${tool}\n${now}\n${rule?.id}`;
    const known = this.byKey.get(key);
    if (known !== undefined && known.plan.actions.length <= sighting.length) return;
    this.byKey.set(key, { tool, now, rule, plan: sighting.plan() });
  }

  get all(): readonly Kept[] {
    return [...this.byKey.values()].sort((a, b) => a.plan.actions.length - b.plan.actions.length);
  }

  /** Whether a rule was seen to make a difference to a tool in a direction. */
  has(tool: string, now: "allowed" | "refused", ruleId: string | null): boolean {
    return ruleId === null ? false : this.byKey.has(`${tool}\n${now}\n${ruleId}`);
  }

  hasAny(tool: string, now: "allowed" | "refused"): boolean {
    return [...this.byKey.values()].some((kept) => kept.tool === tool && kept.now === now);
  }
}
