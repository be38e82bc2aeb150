import type { Reason } from "../../artifact/reasons.js";
import { isBeyond } from "../model/caps.js";
import type { Plan } from "../trace/plan.js";

/** A rule as the searches met it. */
export interface RuleFinding {
  /** The shortest session at whose end this rule alone refuses. */
  readonly alone: Plan | null;
  /** The shortest at whose end it refuses together with others, and which. */
  readonly together: { readonly plan: Plan; readonly others: readonly string[] } | null;
}

const NOTHING: RuleFinding = { alone: null, together: null };

/** A session that was found, written out only where it is kept. */
export interface Sketch {
  readonly length: number;
  plan(): Plan;
}

function isShorter({ length }: Sketch, than: Plan | null | undefined): boolean {
  return than === null || than === undefined || length < than.actions.length;
}

/** What the searches in one pack have found, the shortest session for each. */
export class Findings {
  private readonly rules = new Map<string, RuleFinding>();
  private readonly allowed = new Map<string, Plan>();
  private readonly verdicts = new Map<string, Map<Reason, Plan>>();

  /** How much is known: it grows with everything new. */
  size = 0;

  /** How many tools a rule was driven to its bound with; beyond a few, another one hardly succeeds. */
  private readonly drives = new Map<string, number>();

  /** Whether a rule is to be driven to its bound with one more tool; those that are never allowed do not count. */
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

  addAlone(id: string, sketch: Sketch): void {
    const known = this.rule(id);
    if (known.alone === null) this.size += 1;
    if (isShorter(sketch, known.alone)) this.rules.set(id, { ...known, alone: sketch.plan() });
  }

  addTogether(id: string, sketch: Sketch, others: readonly string[]): void {
    const known = this.rule(id);
    const fewest = known.together?.others.length ?? Number.POSITIVE_INFINITY;
    if (others.length < fewest) this.size += 1;
    if (others.length < fewest) this.rules.set(id, { ...known, together: { plan: sketch.plan(), others } });
  }

  addAllowed(tool: string, sketch: Sketch): void {
    if (!this.allowed.has(tool)) this.size += 1;
    if (isShorter(sketch, this.allowed.get(tool))) this.allowed.set(tool, sketch.plan());
  }

  addVerdict(tool: string, reason: Reason, sketch: Sketch): void {
    const known = this.verdicts.get(tool) ?? new Map<Reason, Plan>();
    this.verdicts.set(tool, known);
    if (!known.has(reason)) this.size += 1;
    if (isShorter(sketch, known.get(reason))) known.set(reason, sketch.plan());
  }
}
