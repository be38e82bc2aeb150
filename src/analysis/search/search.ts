import type { Json } from "../../base/json.js";
import { judge } from "../../guard/decide/decide.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Violation } from "../../guard/public.js";
import { advance } from "../../guard/session/advance.js";
import type { SessionEvent } from "../../guard/session/event.js";
import { callIdOf, newSession, type Session } from "../../guard/session/session.js";
import { settlementOf } from "../../guard/session/settlement.js";
import type { Moves } from "../calls/moves.js";
import { type CapName, cut, first, most } from "../model/caps.js";
import { type Abstraction, subsumes } from "../state/abstraction.js";
import { atTime, copyOf, timeIn } from "../state/clock.js";
import type { Action, PlannedOutcome, Signal } from "../trace/plan.js";
import { Buckets, Queue } from "./queue.js";

/** How far a search goes. */
export interface SearchBounds {
  readonly depth: number;
  readonly states: number;
  /** The name of the bound on states, if it is not the user's. */
  readonly name?: CapName;
}

/** The bounds with no more states than a cap allows. */
export function within(bounds: SearchBounds, name: CapName): SearchBounds {
  return bounds.states <= most(name) ? bounds : { ...bounds, states: most(name), name };
}

/** How a state was reached, without its session. */
export interface Node {
  readonly parent: Node | null;
  readonly action: Action | null;
  readonly depth: number;
  /** The output broke a rule: the call counts, but satisfies nothing. */
  readonly isRejected?: boolean;
}

/** Where every session begins. */
export const BEGINNING: Node = { parent: null, action: null, depth: 0 };

/** A state while it is visited. */
export interface Visit {
  readonly node: Node;
  readonly session: Session;
}

/** A discovered state, as far as others are compared with it. */
interface Known {
  readonly counters: readonly number[];
  readonly depth: number;
  /** Another state subsumes it, discovered before this one was visited. */
  isStale: boolean;
}

/** The actions that lead to a state. */
export function actionsTo(node: Node): readonly Action[] {
  const actions: Action[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent) if (at.action !== null) actions.push(at.action);
  return actions.reverse();
}

/** A session after an allowed call, and the rule that its output broke. */
export interface Performed {
  readonly session: Session;
  readonly violation: Violation | null;
}

/** How a call without a result is reported to the guard. */
export const UNANSWERED = {
  failed: { kind: "error", sent: false },
  lost: { kind: "timeout", sent: true },
} as const;

/** Performs an allowed call. */
export function perform(program: Program, before: Session, proposal: Proposal, outcome: PlannedOutcome): Performed {
  const session = copyOf(before);
  const callId = callIdOf(session.issued + 1);
  const { tool, args } = proposal;
  advance(program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
  if (outcome.kind === "open") return { session, violation: null };
  const reported = outcome.kind === "result" ? outcome : UNANSWERED[outcome.kind];
  const now = () => timeIn(session);
  const settlement = settlementOf({ program, session, judges: true, now }, callId, reported);
  if (!settlement.accepted) return { session, violation: null };
  advance(program, session, settlement.event);
  return { session, violation: settlement.violation };
}

/** Whether the guard releases a call whose answer got lost, though it may have happened. */
function isReleasedWhenLost({ isRead, commitsAtDispatch }: Pick<Tool, "isRead" | "commitsAtDispatch">): boolean {
  return isRead && !commitsAtDispatch;
}

/** A session after something from outside the calls. */
export function signalled(program: Program, before: Session, action: Signal): Session {
  if (action.kind === "clock") return atTime(before, action.now);
  const session = copyOf(before);
  advance(program, session, eventOf(action));
  return session;
}

function eventOf(action: Exclude<Signal, { readonly kind: "clock" }>): SessionEvent {
  switch (action.kind) {
    case "label":
      return { kind: "label_added", label: action.label };
    case "cost":
      return { kind: "cost_recorded", usd: action.usd };
    case "step":
      return { kind: "step_begun" };
  }
}

/** Tools that write nothing, are not counted and keep the phase: their calls change only the number of calls. */
function idleTools({ pack, tools }: Program): ReadonlySet<Tool> {
  const countsSteps = pack.tools.some(({ checks }) =>
    checks.some((check) => check.kind === "precondition" && check.step_count !== null),
  );
  const isIdle = ({ binds, collections, stages, watches, aggregates, isCounted, advancesTo }: Tool) =>
    [binds, collections, stages, watches, aggregates].every(({ length }) => length === 0) &&
    !isCounted &&
    advancesTo === null;
  return new Set(countsSteps ? [] : [...tools.values()].filter(isIdle));
}

/** What a search does besides sequential calls. */
export interface SearchExtensions {
  /** One call that advances the phase may stay unsettled while others are made. */
  readonly overlaps: boolean;
  /** Outputs may be rejected, so that a call counts without being committed. */
  readonly rejectedOutputs: boolean;
  /** Answers of the counted tool may get lost: a read is released then, though it may have happened. */
  readonly losses: boolean;
  /** What distinguishes paths to a state that the session does not remember. */
  history(node: Node): string;
  /** Whether the search can stop following a session. */
  isOver(node: Node): boolean;
  /** States with the smallest are followed first; without it the nearest are. Those at infinity are not followed. */
  readonly distance?: (node: Node, session: Session) => number;
}

const NO_EXTENSIONS: SearchExtensions = {
  overlaps: false,
  rejectedOutputs: false,
  losses: false,
  history: () => "",
  isOver: () => false,
};

/** The states that lack the fewest calls first. */
export function directedBy(distance: NonNullable<SearchExtensions["distance"]>): SearchExtensions {
  return { ...NO_EXTENSIONS, distance };
}

/** Calls with rejected outputs count, but do not advance the session; few findings need them. */
export const WITH_REJECTED_OUTPUTS: SearchExtensions = { ...NO_EXTENSIONS, rejectedOutputs: true };

/**
 * Visits the states that calls under a program lead to, the nearest first, using the shipped guard. A state that another
 * one subsumes at no greater depth is left out.
 */
export class Search {
  /** States to be visited. */
  private readonly entered = new Queue<{ readonly visit: Visit; readonly known: Known }>();
  /** Visited states that are not expanded yet; expanded once no nearer state is left to visit. */
  private readonly unexpanded = new Buckets<Visit>();
  /** Makes the calls of the state that is being expanded, one by one. */
  private expanding: Generator<void> | null = null;
  private readonly known = new Map<string, Known[]>();
  /** Tools whose calls change nothing but the number of calls. */
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
    /** The tool whose calls are counted: fresh calls and rejected outputs of it are tried too. */
    private readonly varied: Tool | null = null,
    private readonly extensions: SearchExtensions = NO_EXTENSIONS,
  ) {
    // The counted tool comes first, because the search is for its calls.
    const others = [...program.tools.values()].filter((tool) => tool !== varied);
    this.tools = varied === null ? others : [varied, ...others];
    // If the path to a state matters, so do calls that change nothing.
    this.idle = extensions === NO_EXTENSIONS && varied === null ? idleTools(program) : new Set();
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
      this.unexpanded.add(visit, this.extensions.distance?.(visit.node, visit.session) ?? 0);
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
    return { node: BEGINNING, session: newSession(this.program) };
  }

  private enter(node: Node, session: Session): void {
    if (this.extensions.isOver(node)) return;
    const { key: state, counters } = this.abstraction.of(session);
    const key = `${state}${this.extensions.history(node)}`;
    const alike = this.known.get(key) ?? [];
    if (alike.some((other) => other.depth <= node.depth && subsumes(other.counters, counters))) return;
    const known: Known = { counters, depth: node.depth, isStale: false };
    const rest = alike.filter((other) => {
      other.isStale = other.depth >= node.depth && subsumes(counters, other.counters);
      return !other.isStale;
    });
    this.known.set(key, [...rest, known]);
    this.entered.add({ visit: { node, session }, known });
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
    if (this.extensions.overlaps && !isDeepest) this.settleOpen(node, session);
    if (!isDeepest) yield* this.signal(node, session);
  }

  /** Times and labels that expressions ask about. */
  private *signal(parent: Node, before: Session): Generator<void> {
    for (const action of this.moves.signals(before)) {
      this.enter({ parent, action, depth: parent.depth + 1 }, signalled(this.program, before, action));
      yield;
    }
  }

  /** Answers of a tool, and where they matter one that is rejected. */
  private outputs(tool: Tool): readonly Json[] {
    const outputs = this.moves.outputs(tool);
    const mayBeRejected = tool === this.varied || this.extensions.rejectedOutputs;
    return mayBeRejected ? [...outputs, ...this.moves.rejectedOutputs(tool)] : outputs;
  }

  /** Calls unlike those before, each with a plain answer: they only need to be different calls. */
  private followFresh({ node, session }: Visit, tool: Tool): void {
    if (node.depth === 0 || whyHidden(this.program, session, tool) !== null) return;
    const fresh = this.moves.fresh(tool, session, node.depth + 1);
    const allowed = fresh.filter((proposal) => judge(this.program, session, proposal) === null);
    const outputs = [
      ...first(this.moves.outputs(tool), "outputs_fresh"),
      ...(tool === this.varied ? this.moves.rejectedOutputs(tool) : []),
    ];
    for (const proposal of first(allowed, "calls_fresh")) this.follow(node, session, proposal, outputs);
  }

  /** The unsettled call answers. */
  private settleOpen(parent: Node, before: Session): void {
    const [open] = before.unsettled;
    if (open === undefined) return;
    for (const output of this.moves.outputs(open.tool)) {
      const session = copyOf(before);
      const now = () => timeIn(session);
      const outcome = { kind: "result", output } as const;
      const settlement = settlementOf({ program: this.program, session, judges: true, now }, open.id, outcome);
      if (!settlement.accepted) continue;
      advance(this.program, session, settlement.event);
      const isRejected = settlement.violation !== null;
      this.enter({ parent, action: { kind: "settle", output }, depth: parent.depth + 1, isRejected }, session);
    }
  }

  private follow(parent: Node, before: Session, proposal: Proposal, outputs: readonly Json[]): void {
    const canWait = this.extensions.overlaps && before.unsettled.size === 0 && proposal.tool.advancesTo !== null;
    if (canWait) this.leave(parent, before, proposal, { kind: "open" });
    for (const output of outputs) {
      const outcome = { kind: "result", output } as const;
      const { session, violation } = perform(this.program, before, proposal, outcome);
      const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
      this.enter({ parent, action, depth: parent.depth + 1, isRejected: violation !== null }, session);
    }
    if (this.extensions.losses && proposal.tool === this.varied && isReleasedWhenLost(proposal.tool))
      this.leave(parent, before, proposal, { kind: "lost" });
  }

  /** Makes a call without a result. */
  private leave(parent: Node, before: Session, proposal: Proposal, outcome: PlannedOutcome): void {
    const { session } = perform(this.program, before, proposal, outcome);
    const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
    this.enter({ parent, action, depth: parent.depth + 1 }, session);
  }
}
