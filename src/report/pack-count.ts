import type { CompiledPack, CompiledTool } from "../artifact/compiled.js";
import { isSamePlace, type Place } from "../artifact/compiled-value.js";
import { type PackRule, PackRules, type RuleKind } from "../artifact/pack-rules.js";

/** How often the parts of one pack were used. */
export interface PackCoverage {
  /**
   * How often a rule refused a call, asked for its approval, rejected its output or ended its session, by the id of the rule;
   * in shadow mode, how often it would have.
   */
  readonly rules: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, { readonly allowed: number; readonly refused: number }>;
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly taken: number }[];
}

/** One session, as far as its phase is known. */
interface Walk {
  phase: string | null;
  readonly tools: Map<string, CompiledTool>;
}

/** Counts the use of one pack. */
export class PackCount {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  private readonly rules: PackRules;
  private readonly fired = new Map<string, number>();
  private readonly used = new Map<string, { allowed: number; refused: number }>();
  private readonly taken = new Map<string, Map<string, number>>();
  private readonly broken = new Set<string>();
  private readonly walks = new Map<string, Walk>();

  constructor(private readonly pack: CompiledPack) {
    this.rules = new PackRules(pack);
    this.tools = new Map(pack.tools.map((tool) => [tool.name, tool]));
  }

  /** Counts a refusal for a rule; returns whether exactly one rule explains it. */
  fire(tool: string, at: Place | null, kinds: readonly RuleKind[] | undefined): boolean {
    const [rule, ...others] = this.rules
      .ofTool(tool)
      .filter((known) => at !== null && isSamePlace(known.at, at) && (kinds?.includes(known.body.kind) ?? true));
    if (rule === undefined || others.length > 0) return false;
    this.credit(rule);
    return true;
  }

  /** A circuit breaker ended a session; returns whether the pack has it. */
  broke(session: string, breaker: "blocks" | "errors"): boolean {
    const rule = this.rules.all.find(({ body }) => body.kind === "circuit_breaker" && body.of === breaker);
    if (rule === undefined) return false;
    // A session ends once, but every guard that resumes it reports that. Sessions without a name cannot be distinguished.
    if (session === "" || !this.broken.has(session)) this.credit(rule);
    this.broken.add(session);
    return true;
  }

  decided(tool: string, verdict: "allowed" | "refused"): void {
    const counts = this.used.get(tool) ?? { allowed: 0, refused: 0 };
    counts[verdict] += 1;
    this.used.set(tool, counts);
  }

  /** Remembers the tool of a call: later events have only the call id. */
  named(session: string, callId: string, tool: CompiledTool): void {
    this.walkOf(session).tools.set(callId, tool);
  }

  /** A call is made; some commit at dispatch. */
  began(session: string, tool: CompiledTool): void {
    if (tool.commits === "at_dispatch") this.move(this.walkOf(session), tool);
  }

  committed(session: string, callId: string): void {
    const walk = this.walkOf(session);
    const tool = walk.tools.get(callId);
    if (tool !== undefined && tool.commits === "on_result") this.move(walk, tool);
  }

  toolOf(session: string, callId: string | null): string | null {
    return callId === null ? null : (this.walkOf(session).tools.get(callId)?.name ?? null);
  }

  coverage(): PackCoverage {
    const transitions = (this.pack.phases?.transitions ?? []).map(({ from, to }) => ({
      from,
      to,
      taken: this.taken.get(from)?.get(to) ?? 0,
    }));
    return { rules: this.fired, tools: this.used, transitions };
  }

  private credit({ id }: PackRule): void {
    this.fired.set(id, (this.fired.get(id) ?? 0) + 1);
  }

  private walkOf(session: string): Walk {
    const known = this.walks.get(session);
    if (known !== undefined) return known;
    const walk = { phase: this.pack.phases?.initial ?? null, tools: new Map<string, CompiledTool>() };
    this.walks.set(session, walk);
    return walk;
  }

  private move(walk: Walk, { advances_to: next }: CompiledTool): void {
    if (walk.phase === null || next === null || walk.phase === next) return;
    const from = this.taken.get(walk.phase) ?? new Map<string, number>();
    this.taken.set(walk.phase, from.set(next, (from.get(next) ?? 0) + 1));
    walk.phase = next;
  }
}
