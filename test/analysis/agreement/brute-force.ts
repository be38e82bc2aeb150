import { timeIn } from "../../../src/analysis/state/clock.js";
import type { Artifact } from "../../../src/artifact/compiled.js";
import type { Reason } from "../../../src/artifact/reasons.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { decide } from "../../../src/guard/decide/decide.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import type { Program, Proposal } from "../../../src/guard/program/program.js";
import { proposalOf } from "../../../src/guard/program/proposal.js";
import { advance } from "../../../src/guard/session/advance.js";
import type { SessionEvent } from "../../../src/guard/session/event.js";
import { callIdOf, copySession, newSession, type Session } from "../../../src/guard/session/session.js";
import { settlementOf } from "../../../src/guard/session/settlement.js";
import { sessionText } from "./session-text.js";
import type { Domain } from "./small-pack.js";

/** What may happen to a call of a tool: it is allowed, an approval is requested, it is refused, or its output is void. */
export type Event = Reason | "allowed" | "approval";

/** One thing that was done. */
export type Step =
  | { readonly call: string; readonly args: JsonObject; readonly output?: Json }
  | { readonly label: string }
  | { readonly cost: number };

/** How a state was reached. */
interface Way {
  readonly before: Way | null;
  readonly step: Step | JsonObject | null;
}

/** The steps of a path; the first has the principal. */
export function stepsOf(way: Way): readonly (Step | JsonObject)[] {
  return [...(way.before === null ? [] : stepsOf(way.before)), ...(way.step === null ? [] : [way.step])];
}

interface State {
  readonly session: Session;
  readonly way: Way;
}

/** How far to go: so many calls before the one that is judged, and no layer after so many states. */
export interface Reach {
  readonly depth: number;
  readonly states: number;
}

/**
 * Every session of a pack over a domain of values, on the shipped guard's own functions. One call follows the other, each
 * a step of its own; in every state all calls are judged, also after a label or a cost, and beside one call that is still
 * running. Several running calls, explicit steps and calls that fail are left out.
 */
export class BruteForce {
  /** The shortest way to each event of each tool. */
  readonly found = new Map<string, Map<Event, Way>>();
  /** Calls made before the judged one in the sessions that were all looked at. */
  depth = Number.POSITIVE_INFINITY;
  states = 0;

  constructor(
    artifact: Artifact,
    private readonly domain: Domain,
    reach: Reach,
  ) {
    const [pack] = artifact.packs;
    if (pack === undefined) return;
    const seen = new Set<string>();
    for (const principal of domain.principals) {
      const program = prepareProgram(artifact, pack, { env: domain.env, principal });
      // Principals matter by the tools that the policies refuse them, and by nothing else.
      const refused = JSON.stringify(this.deniedTools(program));
      if (seen.has(refused)) continue;
      seen.add(refused);
      const from: Way = { before: null, step: principal === null ? null : { principal } };
      this.depth = Math.min(this.depth, this.explore(program, from, reach));
    }
  }

  eventsOf(tool: string): ReadonlyMap<Event, Way> {
    return this.found.get(tool) ?? new Map();
  }

  private deniedTools(program: Program): readonly string[] {
    const session = newSession(program);
    return [...program.tools.values()].flatMap((tool) => {
      const verdict = decide(program, session, proposalOf(tool, {}), 0);
      return verdict.kind === "block" && verdict.reason === "policy_denied" ? [tool.name] : [];
    });
  }

  /** Layer after layer, each state once; how many layers there were. */
  private explore(program: Program, from: Way, { depth, states }: Reach): number {
    const proposals = [...program.tools.values()].flatMap((tool) =>
      (this.domain.tools.get(tool.name)?.args ?? []).map((args) => proposalOf(tool, args)),
    );
    let layer: readonly State[] = [{ session: newSession(program), way: from }];
    let count = 0;
    for (let calls = 0; ; calls++) {
      count += layer.length;
      this.states += layer.length;
      const isLast = calls === depth || count > states;
      const next = new Map<string, State>();
      for (const state of layer) {
        for (const reached of this.look(program, state, proposals, isLast)) {
          const text = sessionText(reached.session);
          if (!next.has(text)) next.set(text, reached);
        }
      }
      if (isLast) return calls;
      layer = [...next.values()];
    }
  }

  /** Judges all calls in a state; gives the states that the allowed ones lead to. */
  private *look(program: Program, state: State, proposals: readonly Proposal[], isLast: boolean): Generator<State> {
    const allowed = proposals.filter((proposal) => this.judge(program, state, proposal));
    for (const label of this.domain.labels) this.afterSignal(program, state, { label }, proposals);
    for (const cost of this.domain.costs) this.afterSignal(program, state, { cost }, proposals);
    for (const proposal of allowed) {
      const busy = this.reserved(program, state, proposal);
      for (const other of proposals) this.judge(program, busy, other);
      const outputs = this.domain.tools.get(proposal.tool.name)?.outputs ?? [];
      for (const output of outputs) {
        const settled = this.settled(program, busy, proposal, output);
        if (!isLast) yield settled;
      }
    }
  }

  private note(tool: string, event: Event, way: Way): void {
    const events = this.found.get(tool) ?? new Map<Event, Way>();
    this.found.set(tool, events);
    if (!events.has(event)) events.set(event, way);
  }

  /** True where the call may go out. */
  private judge(program: Program, { session, way }: State, { tool, args, ...rest }: Proposal): boolean {
    const verdict = decide(program, session, { tool, args, ...rest }, 0);
    const last = { before: way, step: { call: tool.name, args } };
    if (verdict.kind === "block") this.note(tool.name, verdict.reason, last);
    else this.note(tool.name, "allowed", last);
    if (verdict.kind === "needs_approval") this.note(tool.name, "approval", last);
    return verdict.kind !== "block";
  }

  private afterSignal(
    program: Program,
    state: State,
    step: Step & ({ label: string } | { cost: number }),
    proposals: readonly Proposal[],
  ): void {
    const session = copySession(state.session);
    const event: SessionEvent =
      "label" in step ? { kind: "label_added", label: step.label } : { kind: "cost_recorded", usd: step.cost };
    advance(program, session, event);
    for (const proposal of proposals) this.judge(program, { session, way: { before: state.way, step } }, proposal);
  }

  private reserved(program: Program, { session: before, way }: State, { tool, args }: Proposal): State {
    const session = copySession(before);
    const callId = callIdOf(session.issued + 1);
    advance(program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
    return { session, way: { before: way, step: { call: tool.name, args } } };
  }

  private settled(program: Program, { session: busy, way }: State, { tool, args }: Proposal, output: Json): State {
    const session = copySession(busy);
    const settlement = settlementOf(
      { program, session, judges: true, now: () => timeIn(session) },
      callIdOf(session.issued),
      {
        kind: "result",
        output,
      },
    );
    const ended = { before: way.before, step: { call: tool.name, args, output } };
    if (!settlement.accepted) throw new Error(`not settled: ${settlement.reason}`);
    if (settlement.violation !== null) this.note(tool.name, settlement.violation.reason, ended);
    advance(program, session, settlement.event);
    return { session, way: ended };
  }
}
