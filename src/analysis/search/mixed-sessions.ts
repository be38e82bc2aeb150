import type { Program, Proposal } from "../../guard/program/program.js";
import { advance } from "../../guard/session/advance.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { settlementOf } from "../../guard/session/settlement.js";
import type { Moves } from "../calls/moves.js";
import { cut, isBeyond, most } from "../model/caps.js";
import { judgeCounted, workSoFar } from "../model/work.js";
import { copyOf, timeIn } from "../state/clock.js";
import type { Action, PlannedOutcome } from "../trace/plan.js";
import { mayBeginStep } from "./further-step.js";
import { type Node, perform, signalled, type Visit } from "./search.js";

/** A kind of session: how likely each event is, in percent. */
interface Mix {
  /** Whether a step comes first, and how likely a further one is. */
  readonly startsWithStep: boolean;
  readonly step: number;
  /** The last call repeated, if it is allowed. */
  readonly again: number;
  readonly failed: number;
  readonly open: number;
}

const MIXES: readonly Mix[] = [
  { startsWithStep: true, step: 0, again: 0, failed: 0, open: 0 },
  { startsWithStep: false, step: 0, again: 0, failed: 0, open: 0 },
  { startsWithStep: false, step: 0, again: 90, failed: 90, open: 0 },
  { startsWithStep: false, step: 0, again: 20, failed: 0, open: 90 },
  { startsWithStep: true, step: 20, again: 50, failed: 20, open: 20 },
  { startsWithStep: false, step: 15, again: 10, failed: 40, open: 30 },
];

/** Always the same numbers, so that results do not change from run to run. */
class Dice {
  private state = 1;

  below(count: number): number {
    // The "minimal standard" generator: small, and good enough to mix calls.
    this.state = (this.state * 48271) % 2147483647;
    return this.state % count;
  }

  isBelow(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.below(items.length)];
  }
}

/**
 * A few sessions of what searches leave out: several calls in one step, calls of all tools in turn, repeated calls, calls
 * that fail, and calls whose results never come. `visits` yields each of their states.
 */
export class MixedSessions {
  private readonly dice = new Dice();
  private readonly before = workSoFar();
  visited = 0;

  constructor(
    private readonly program: Program,
    private readonly moves: Moves,
  ) {}

  *visits(): Generator<Visit> {
    for (let at = 0; at < most("mixed_sessions"); at++) {
      const mix = MIXES[at % MIXES.length];
      if (mix !== undefined) yield* this.session(mix);
    }
    cut("mixed_sessions");
  }

  private *session(mix: Mix): Generator<Visit> {
    let visit: Visit = { node: { parent: null, action: null, depth: 0 }, session: newSession(this.program) };
    let last: Proposal | null = null;
    if (mix.startsWithStep) visit = this.begun(visit) ?? visit;
    for (let calls = 0; calls < most("mixed_calls") && !visit.session.isKilled; calls++) {
      // Each further unsettled call multiplies the ways in which they may end, and the guard looks at all of them.
      if (isBeyond(workSoFar() - this.before, "mixed_work")) return;
      if (mix.step > 0 && this.dice.isBelow(mix.step)) visit = this.begun(visit) ?? visit;
      const settled = this.dice.isBelow(30) ? this.settled(visit) : null;
      if (settled !== null) visit = settled;
      this.visited += 1;
      yield visit;
      last = this.nextCall(visit, last, mix);
      if (last === null) return;
      visit = this.called(visit, last, this.outcome(last, mix));
    }
    cut("mixed_calls");
  }

  /** The model's next turn, unless the step limit is reached. */
  private begun({ node, session: before }: Visit): Visit | null {
    if (!mayBeginStep(this.program, before)) return null;
    const action = { kind: "step" } as const;
    const session = signalled(this.program, before, action);
    return { node: { parent: node, action, depth: node.depth + 1 }, session };
  }

  /** The only unsettled call answers; a plan cannot say which of several does. */
  private settled({ node, session: before }: Visit): Visit | null {
    const [open, ...others] = before.unsettled;
    const output = open === undefined ? undefined : this.dice.pick(this.moves.outputs(open.tool));
    if (open === undefined || output === undefined || others.length > 0) return null;
    const session = copyOf(before);
    const now = () => timeIn(session);
    const outcome = { kind: "result", output } as const;
    const settlement = settlementOf({ program: this.program, session, judges: true, now }, open.id, outcome);
    if (!settlement.accepted) return null;
    advance(this.program, session, settlement.event);
    const isRejected = settlement.violation !== null;
    return { node: { parent: node, action: { kind: "settle", output }, depth: node.depth + 1, isRejected }, session };
  }

  private nextCall({ session, node }: Visit, last: Proposal | null, { again }: Mix): Proposal | null {
    if (last !== null && this.dice.isBelow(again) && judgeCounted(this.program, session, last) === null) return last;
    const tools = [...this.program.tools.values()];
    const from = this.dice.below(tools.length);
    for (const tool of [...tools.slice(from), ...tools.slice(0, from)]) {
      const allowed = this.moves.allowed(tool, session);
      const call = this.dice.pick(allowed) ?? this.fresh(session, tool, node.depth);
      if (call !== undefined) return call;
    }
    return null;
  }

  private fresh(session: Session, tool: Proposal["tool"], serial: number): Proposal | undefined {
    const calls = this.moves.fresh(tool, session, serial + 1);
    return calls.find((proposal) => judgeCounted(this.program, session, proposal) === null);
  }

  private outcome({ tool }: Proposal, { failed, open }: Mix): PlannedOutcome {
    if (this.dice.isBelow(failed)) return { kind: "failed" };
    if (this.dice.isBelow(open)) return { kind: "open" };
    const broken = this.dice.isBelow(15) ? this.moves.rejectedOutputs(tool) : [];
    return { kind: "result", output: this.dice.pick(broken) ?? this.dice.pick(this.moves.outputs(tool)) ?? null };
  }

  private called({ node, session: before }: Visit, proposal: Proposal, outcome: PlannedOutcome): Visit {
    const { session, violation } = perform(this.program, before, proposal, outcome);
    const action: Action = { kind: "call", tool: proposal.tool.name, args: proposal.args, outcome };
    const next: Node = { parent: node, action, depth: node.depth + 1, isRejected: violation !== null };
    return { node: next, session };
  }
}
