import type { Json } from "../../base/json.js";
import { judge } from "../../guard/decide/decide.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Violation } from "../../guard/public.js";
import { advance } from "../../guard/session/advance.js";
import type { SessionEvent } from "../../guard/session/event.js";
import { callIdOf, copySession, newSession, type Session } from "../../guard/session/session.js";
import { settlementOf } from "../../guard/session/settlement.js";
import type { Moves } from "../calls/moves.js";
import { type CapName, cut, first, most } from "../model/caps.js";
import { type Abstraction, isAsGood } from "../state/abstraction.js";
import type { Action, PlannedOutcome } from "../trace/plan.js";

/** How far a search goes. */
export interface SearchBounds {
  readonly depth: number;
  readonly states: number;
  /** The name of the bound on states, where it is not the one that the user gave. */
  readonly name?: CapName;
}

/** No more states than a bound of ours allows. */
export function within(bounds: SearchBounds, name: CapName): SearchBounds {
  return bounds.states <= most(name) ? bounds : { ...bounds, states: most(name), name };
}

/** A state on the way: how it was reached, without the session itself. */
export interface Node {
  readonly parent: Node | null;
  readonly action: Action | null;
  readonly depth: number;
  /** The output broke a rule: the call counts, and satisfies nothing. */
  readonly isVoid?: boolean;
}

/** A state that is being looked at. */
export interface Visit {
  readonly node: Node;
  readonly session: Session;
}

/** A state that was come upon, as far as others are compared with it. */
interface Known {
  readonly counters: readonly number[];
  readonly depth: number;
  /** A state that is as good came up before it was looked at. */
  isStale: boolean;
}

/** The actions that lead to a state. */
export function actionsTo(node: Node): readonly Action[] {
  const actions: Action[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent) if (at.action !== null) actions.push(at.action);
  return actions.reverse();
}

/** A session after a call that the guard allows, and what its output broke. */
export interface Performed {
  readonly session: Session;
  readonly violation: Violation | null;
}

/** How a call that gives no result is reported to the guard. */
export const UNANSWERED = {
  failed: { kind: "error", sent: false },
  lost: { kind: "timeout", sent: true },
} as const;

/** Lets an allowed call go out and end. */
export function perform(program: Program, before: Session, proposal: Proposal, outcome: PlannedOutcome): Performed {
  const session = copySession(before);
  const callId = callIdOf(session.issued + 1);
  const { tool, args } = proposal;
  advance(program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
  if (outcome.kind === "open") return { session, violation: null };
  const reported = outcome.kind === "result" ? outcome : UNANSWERED[outcome.kind];
  const settlement = settlementOf({ program, session, judges: true }, callId, reported);
  if (!settlement.accepted) return { session, violation: null };
  advance(program, session, settlement.event);
  return { session, violation: settlement.violation };
}

/** Whether the guard stops counting a call of the tool whose answer got lost, though it may have happened. */
export function isFreedWhenLost({ isRead, commitsAtDispatch }: Pick<Tool, "isRead" | "commitsAtDispatch">): boolean {
  return isRead && !commitsAtDispatch;
}

/** What others do to a session. */
export type Signal = Exclude<Action, { readonly kind: "call" | "settle" }>;

/** The event of a signal. */
export function signalOf(action: Signal): SessionEvent {
  switch (action.kind) {
    case "label":
      return { kind: "label_added", label: action.label };
    case "cost":
      return { kind: "cost_recorded", usd: action.usd };
    case "step":
      return { kind: "step_begun" };
  }
}

/** Tools that write nothing, count for nothing and lead nowhere: but for how many calls there were, nothing is new. */
function idleTools({ pack, tools }: Program): ReadonlySet<Tool> {
  const countsSteps = pack.tools.some(({ checks }) =>
    checks.some((check) => check.kind === "precondition" && check.step_count !== null),
  );
  const isIdle = ({ binds, stages, watches, aggregates, isCounted, advancesTo }: Tool) =>
    [binds, stages, watches, aggregates].every(({ length }) => length === 0) && !isCounted && advancesTo === null;
  return new Set(countsSteps ? [] : [...tools.values()].filter(isIdle));
}

/** What a search does beyond one call after the other. */
export interface Beyond {
  /** One call at a time that advances the session may stay open while others come and go. */
  readonly overlaps: boolean;
  /** Outputs may break a rule, so that a call counts without having been committed. */
  readonly voids: boolean;
  /** Answers of the tool whose calls are counted may get lost: a read is freed then, though it may have happened. */
  readonly losses: boolean;
  /** What of the way to a state is told apart, though the session does not remember it. */
  history(node: Node): string;
  /** Whether a session is of no interest any more. */
  isOver(node: Node): boolean;
}

const WITHIN: Beyond = { overlaps: false, voids: false, losses: false, history: () => "", isOver: () => false };

/** Calls whose output breaks a rule count without leading on; only few things happen at last thanks to them. */
export const VOIDS: Beyond = { ...WITHIN, voids: true };

/** First in, first out; what was taken is let go of. */
class Queue<T> {
  private readonly items: (T | undefined)[] = [];
  private at = 0;

  put(item: T): void {
    this.items.push(item);
  }

  take(): T | undefined {
    const item = this.items[this.at];
    if (item === undefined) return undefined;
    this.items[this.at] = undefined;
    this.at += 1;
    return item;
  }
}

/**
 * Visits the states that calls under a program lead to, the nearest first, running the shipped guard. A state that
 * another, no farther one can stand for is left out.
 */
export class Search {
  /** States to be visited. */
  private readonly entered = new Queue<{ readonly visit: Visit; readonly known: Known }>();
  /** Visited ones from which calls were not made yet: only when there is nothing nearer left to visit. */
  private readonly unexpanded = new Queue<Visit>();
  /** Makes one call after the other from the state whose turn it is. */
  private expanding: Generator<void> | null = null;
  private readonly known = new Map<string, Known[]>();
  /** Tools whose calls leave every session as good as it was. */
  private readonly idle: ReadonlySet<Tool>;
  private readonly tools: readonly Tool[];
  /** States visited so far. */
  visited = 0;
  /** Bounds that cut the search off. */
  readonly hit = new Set<"depth" | "states">();

  constructor(
    private readonly program: Program,
    private readonly abstraction: Abstraction,
    private readonly moves: Moves,
    private readonly bounds: SearchBounds,
    /** The tool whose calls are counted: calls unlike all before are tried too, and outputs of it that break a rule. */
    private readonly varied: Tool | null = null,
    private readonly beyond: Beyond = WITHIN,
  ) {
    // The tool whose calls are counted is what a search for it looks for.
    const others = [...program.tools.values()].filter((tool) => tool !== varied);
    this.tools = varied === null ? others : [varied, ...others];
    // Where the way to a state matters, so does a call that leaves nothing behind.
    this.idle = beyond === WITHIN && varied === null ? idleTools(program) : new Set();
  }

  /** The states in turn. */
  *visits(start: Visit = this.beginning()): Generator<Visit> {
    this.enter(start.node, start.session);
    for (let visit = this.next(); visit !== null; visit = this.next()) {
      if (this.visited >= this.bounds.states) {
        this.hit.add("states");
        cut(this.bounds.name ?? "states");
        return;
      }
      this.visited += 1;
      this.unexpanded.put(visit);
      yield visit;
    }
  }

  private next(): Visit | null {
    for (;;) {
      for (let item = this.entered.take(); item !== undefined; item = this.entered.take()) {
        if (!item.known.isStale) return item.visit;
      }
      if (this.expanding?.next().done === false) continue;
      const visit = this.unexpanded.take();
      if (visit === undefined) return null;
      this.expanding = this.expand(visit);
    }
  }

  private beginning(): Visit {
    return { node: { parent: null, action: null, depth: 0 }, session: newSession(this.program) };
  }

  private enter(node: Node, session: Session): void {
    if (this.beyond.isOver(node)) return;
    const { key: state, counters } = this.abstraction.of(session);
    const key = `${state}${this.beyond.history(node)}`;
    const alike = this.known.get(key) ?? [];
    if (alike.some((other) => other.depth <= node.depth && isAsGood(other.counters, counters))) return;
    const known: Known = { counters, depth: node.depth, isStale: false };
    const rest = alike.filter((other) => {
      other.isStale = other.depth >= node.depth && isAsGood(counters, other.counters);
      return !other.isStale;
    });
    this.known.set(key, [...rest, known]);
    this.entered.put({ visit: { node, session }, known });
  }

  private *expand({ node, session }: Visit): Generator<void> {
    if (session.isKilled) return;
    const isDeepest = node.depth >= this.bounds.depth;
    for (const tool of this.tools) {
      for (const proposal of this.idle.has(tool) ? [] : this.moves.allowed(tool, session)) {
        if (isDeepest) {
          this.hit.add("depth");
          cut("depth");
          return;
        }
        yield this.follow(node, session, proposal, this.outputs(tool));
      }
      if (this.varied !== null && !isDeepest) yield this.followFresh({ node, session }, tool);
    }
    if (this.beyond.overlaps && !isDeepest) this.settleOpen(node, session);
  }

  /** Answers of a tool; one that breaks a rule counts, and leaves the session where it was. */
  private outputs(tool: Tool): readonly Json[] {
    const outputs = this.moves.outputs(tool);
    const isVoidable = tool === this.varied || this.beyond.voids;
    return isVoidable ? [...outputs, ...this.moves.brokenOutputs(tool)] : outputs;
  }

  /** Calls unlike those before, each with a plain answer: they are made to be other calls, not to bring something new. */
  private followFresh({ node, session }: Visit, tool: Tool): void {
    if (node.depth === 0 || whyHidden(this.program, session, tool) !== null) return;
    const fresh = this.moves.fresh(tool, session, node.depth + 1);
    const allowed = fresh.filter((proposal) => judge(this.program, session, proposal) === null);
    const outputs = [
      ...first(this.moves.outputs(tool), "outputs_fresh"),
      ...(tool === this.varied ? this.moves.brokenOutputs(tool) : []),
    ];
    for (const proposal of first(allowed, "calls_fresh")) this.follow(node, session, proposal, outputs);
  }

  /** The open call answers. */
  private settleOpen(parent: Node, before: Session): void {
    const [open] = before.unsettled;
    if (open === undefined) return;
    for (const output of this.moves.outputs(open.tool)) {
      const session = copySession(before);
      const settlement = settlementOf({ program: this.program, session, judges: true }, open.id, {
        kind: "result",
        output,
      });
      if (!settlement.accepted) continue;
      advance(this.program, session, settlement.event);
      const isVoid = settlement.violation !== null;
      this.enter({ parent, action: { kind: "settle", output }, depth: parent.depth + 1, isVoid }, session);
    }
  }

  private follow(parent: Node, before: Session, proposal: Proposal, outputs: readonly Json[]): void {
    const canWait = this.beyond.overlaps && before.unsettled.size === 0 && proposal.tool.advancesTo !== null;
    if (canWait) this.leave(parent, before, proposal, { kind: "open" });
    for (const output of outputs) {
      const outcome = { kind: "result", output } as const;
      const { session, violation } = perform(this.program, before, proposal, outcome);
      const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
      this.enter({ parent, action, depth: parent.depth + 1, isVoid: violation !== null }, session);
    }
    if (this.beyond.losses && proposal.tool === this.varied && isFreedWhenLost(proposal.tool))
      this.leave(parent, before, proposal, { kind: "lost" });
  }

  /** Makes a call that gives no result. */
  private leave(parent: Node, before: Session, proposal: Proposal, outcome: PlannedOutcome): void {
    const { session } = perform(this.program, before, proposal, outcome);
    const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
    this.enter({ parent, action, depth: parent.depth + 1 }, session);
  }
}
