import { quoted } from "../../diagnostics/wording.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";

/** More phases than real packs have; computing which phase can follow which takes the square of their number. */
const MOST_PHASES = 256;

/** Why no committed call of one tool can come before a call of another. */
export type Obstacle = "refused" | "limited" | "not_entered" | "forbids" | "too_late";

/** The callable ones among some tools, and the phases that may follow any of them. */
interface Group {
  readonly callable: readonly NamedTool[];
  readonly after: bigint;
}

/** What blocks a tool permanently: its own gate, or the session's default for its risk class. */
export function barrierOf({ session }: RuleContext, { contract }: NamedTool): "gate" | "risk_defaults" | null {
  const { gate, side_effect: effect } = contract;
  if (gate !== undefined) return gate === "block" ? "gate" : null;
  return effect !== undefined && session?.risk_defaults?.[effect] === "block" ? "risk_defaults" : null;
}

/** The obstacle in words. */
export function describeObstacle(obstacle: Obstacle, prior: string, tool: string): string {
  switch (obstacle) {
    case "refused":
      return `every call of ${quoted(prior)} is refused`;
    case "limited":
      return `\`max_calls_per_tool\` allows no call of ${quoted(prior)}`;
    case "not_entered":
      return `${quoted(prior)} can be called in no phase that is entered`;
    case "forbids":
      return `a call of ${quoted(prior)} forbids ${quoted(tool)}`;
    case "too_late":
      return `once ${quoted(prior)} was called, no phase of ${quoted(tool)} is entered any more`;
  }
}

/**
 * Which tools can be called at all, and which of them before which. It is conservative: what it reports as impossible is
 * impossible, while arguments, outputs, principals and limits may forbid more.
 */
export class CallOrder {
  /** The fewest calls that lead to each phase that can be entered. */
  readonly distances: ReadonlyMap<string, number>;
  private readonly obstacles = new Map<string, "refused" | "limited">();
  /** The phases, among those entered, in which a call of a tool passes the phase check; null means all of them. */
  private readonly legal = new Map<string, ReadonlySet<string> | null>();
  private readonly bits: ReadonlyMap<string, bigint>;
  private readonly followers: ReadonlyMap<string, bigint>;
  private readonly masksIn = new Map<string, bigint>();
  private readonly masksAfter = new Map<string, bigint>();
  private readonly groups = new WeakMap<readonly NamedTool[], Group>();
  private readonly forbidden = new Map<string, ReadonlySet<string>>();

  constructor(private readonly context: RuleContext) {
    const limits = new Map(Object.entries(context.session?.session_limits?.max_calls_per_tool ?? {}));
    for (const tool of context.tools) {
      if (barrierOf(context, tool) !== null) this.obstacles.set(tool.name, "refused");
      else if (limits.get(tool.name) === 0) this.obstacles.set(tool.name, "limited");
      this.forbidden.set(tool.name, new Set(tool.contract.forbids_after ?? []));
    }
    this.distances = this.measure();
    for (const tool of context.tools) this.legal.set(tool.name, this.legalPhases(tool));
    const { phases } = context.graph();
    const isComparable = phases.length > 0 && phases.length <= MOST_PHASES;
    this.bits = new Map(isComparable ? phases.map((phase, index) => [phase, 1n << BigInt(index)]) : []);
    this.followers = this.follow();
  }

  /** Whether some call of the tool may be allowed, as far as the compiler knows. */
  isCallable({ name }: NamedTool): boolean {
    return !this.obstacles.has(name) && this.legal.get(name)?.size !== 0;
  }

  /** The phases, among those entered, in which a call of a tool passes the phase check. */
  phasesOf({ name }: NamedTool): readonly string[] {
    return [...(this.legal.get(name) ?? this.distances.keys())];
  }

  /** Why no call of `prior` can be committed before one of `tool` is allowed; null where it may be possible. */
  obstacle(prior: NamedTool, tool: NamedTool): Obstacle | null {
    const own = this.obstacles.get(prior.name);
    if (own !== undefined) return own;
    if (!this.isCallable(prior)) return "not_entered";
    if (this.forbidden.get(prior.name)?.has(tool.name)) return "forbids";
    if (this.bits.size === 0) return null;
    return (this.phasesAfter(prior) & this.maskOf(tool)) === 0n ? "too_late" : null;
  }

  /** Whether a call of one of these, other than the tool itself, may be committed before one of the tool is allowed. */
  mayFollow(tool: NamedTool, priors: readonly NamedTool[]): boolean {
    const group = this.groups.get(priors) ?? this.groupOf(priors);
    this.groups.set(priors, group);
    // All together first: many tools may wait for the same many.
    if (this.bits.size > 0 && (group.after & this.maskOf(tool)) === 0n) return false;
    return group.callable.some((prior) => prior !== tool && this.obstacle(prior, tool) === null);
  }

  private groupOf(priors: readonly NamedTool[]): Group {
    const callable = priors.filter((prior) => this.isCallable(prior));
    return { callable, after: callable.reduce((sum, prior) => sum | this.phasesAfter(prior), 0n) };
  }

  /** Breadth first over the phase changes that calls can make. */
  private measure(): ReadonlyMap<string, number> {
    const { initial, moves } = this.context.graph();
    const next = new Map<string, Set<string>>();
    for (const { from, to, tool } of moves) {
      if (!this.obstacles.has(tool)) next.set(from, (next.get(from) ?? new Set()).add(to));
    }
    const distances = new Map(initial === null ? [] : [[initial, 0]]);
    // Iterating a map also visits entries added meanwhile, so this is breadth first.
    for (const [phase, distance] of distances) {
      for (const to of next.get(phase) ?? []) if (!distances.has(to)) distances.set(to, distance + 1);
    }
    return distances;
  }

  private legalPhases({ contract }: NamedTool): ReadonlySet<string> | null {
    const graph = this.context.graph();
    const { valid_in_phases: phases, advances_to: next } = contract.transitions ?? {};
    if (phases === undefined) return null;
    return new Set(
      phases.filter((phase) => this.distances.has(phase) && (next === undefined || graph.hasEdge(phase, next))),
    );
  }

  /** For every phase the phases that may come after it, itself included. */
  private follow(): ReadonlyMap<string, bigint> {
    const followers = new Map(this.bits);
    for (const { from, to } of this.shifts()) {
      followers.set(from, (followers.get(from) ?? 0n) | (this.bits.get(to) ?? 0n));
    }
    for (const [via, bit] of this.bits) {
      for (const [phase, mask] of followers) {
        if ((mask & bit) !== 0n) followers.set(phase, mask | (followers.get(via) ?? 0n));
      }
    }
    return followers;
  }

  /** Every change of phase that commits can make. */
  private shifts(): readonly { readonly from: string; readonly to: string }[] {
    if (this.bits.size === 0) return [];
    const movers = this.context.tools.flatMap((tool) => {
      const to = tool.contract.transitions?.advances_to;
      return to !== undefined && this.isCallable(tool) ? [{ tool, to, from: this.legal.get(tool.name) ?? [] }] : [];
    });
    const settled = new Set(movers.filter(({ tool }) => !commitsAtDispatch(tool)).map(({ to }) => to));
    const kept = new Set(movers.filter(({ from, to }) => [...from].includes(to)).map(({ to }) => to));
    return movers.flatMap(({ from, to }) => {
      const phases = [...from];
      // The last commit counts: an earlier unsettled call may take the session back to the phase it leads to,
      // if this call was allowed both there and in the phase it was made in.
      const overtaken = phases.filter((phase) => settled.has(phase) && (phases.length > 1 || kept.has(phase)));
      return [...phases.map((phase) => ({ from: phase, to })), ...overtaken.map((phase) => ({ from: to, to: phase }))];
    });
  }

  /** The phases that a session may be in at some time after a call of the tool. */
  private phasesAfter(tool: NamedTool): bigint {
    const known = this.masksAfter.get(tool.name);
    if (known !== undefined) return known;
    const next = tool.contract.transitions?.advances_to;
    const starts = next === undefined ? this.phasesOf(tool) : [next];
    const mask = starts.reduce((sum, phase) => sum | (this.followers.get(phase) ?? 0n), 0n);
    this.masksAfter.set(tool.name, mask);
    return mask;
  }

  private maskOf(tool: NamedTool): bigint {
    const known = this.masksIn.get(tool.name);
    if (known !== undefined) return known;
    const mask = this.phasesOf(tool).reduce((sum, phase) => sum | (this.bits.get(phase) ?? 0n), 0n);
    this.masksIn.set(tool.name, mask);
    return mask;
  }
}

/** Whether a call counts, and advances the session, when it is sent. */
export function commitsAtDispatch({ contract }: NamedTool): boolean {
  return contract.commit_requirement === "none" || contract.evidence_class === "unverifiable";
}

const orders = new WeakMap<RuleContext, CallOrder>();

/** The order of calls in a pack, computed once for all rules. */
export function callOrder(context: RuleContext): CallOrder {
  const order = orders.get(context) ?? new CallOrder(context);
  orders.set(context, order);
  return order;
}
