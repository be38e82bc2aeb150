import type { JsonObject } from "../../base/json.js";
import { decide, judge } from "../../guard/decide/decide.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { isTouch, touchesOf } from "../../workflow/rules/touched-resources.js";
import type { ResourceMode, RoleRules } from "../../workflow/rules/workflow-rules.js";
import { resourceName } from "../../workflow/state/shared-resource.js";
import type { Moves } from "../calls/moves.js";
import { OutputKinds } from "../calls/output-kinds.js";
import { cut, isBeyond, most } from "../model/caps.js";
import { effectOfCall } from "../model/effects.js";
import { actionsTo, type Node, perform, type SearchBounds } from "../search/search.js";
import { Abstraction, type Counter, ruleCounters } from "../state/abstraction.js";
import type { Action, PlannedOutcome } from "../trace/plan.js";
import type { SharedKeys } from "./shared-keys.js";

/** A shared resource that a call touches. */
export interface TouchedName {
  readonly alias: string;
  readonly mode: ResourceMode;
  /** The resource itself: alias and key. */
  readonly name: string;
}

/** A call that the rules of its own session allow. */
export interface RoleCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly isMutating: boolean;
  readonly touches: readonly TouchedName[];
  /** Whether somebody is asked for an approval. */
  readonly isAsked: boolean;
}

interface Edge {
  readonly call: RoleCall;
  readonly outcome: PlannedOutcome;
  readonly to: number;
}

/** A call that others prevent, and the way to it. */
export interface WantedCall {
  readonly way: readonly Action[];
  readonly call: RoleCall;
}

/** A call with its outcome, as a step of a plan. */
export function actionOf({ tool, args }: RoleCall, outcome: PlannedOutcome): Action {
  return { kind: "call", tool, args, outcome };
}

/** What a session of the role may have come to. */
export interface RoleState {
  readonly node: Node;
  readonly isFinished: boolean;
  /** The resources that it owns from then on: settling frees everything else. */
  readonly held: ReadonlySet<string>;
  readonly edges: Edge[];
  /** Null once the state is expanded. */
  session: Session | null;
}

/** The resources that a call makes its session the owner of. */
export function ownedBy({ isMutating, touches }: RoleCall): readonly string[] {
  return isMutating ? touches.filter(({ mode }) => mode === "single_writer").map(({ name }) => name) : [];
}

/** What the space of a role is made of. */
export interface RoleUnderTest {
  readonly role: RoleRules;
  readonly program: Program;
  readonly moves: Moves;
  readonly keys: SharedKeys;
}

/**
 * The sessions of one role by themselves, as a graph. Total numbers of calls are ignored, and each call is answered at once. What
 * sessions of other roles hold is applied to it later, by leaving out edges.
 */
export class RoleSpace {
  readonly states: RoleState[] = [];
  private readonly indices = new Map<string, number>();
  private readonly abstraction: Abstraction;
  private readonly counters: readonly Counter[];
  private readonly outputs: OutputKinds;
  private readonly terminal: ReadonlySet<string>;
  private readonly reached = new Map<string, ReadonlySet<number>>();

  constructor(
    private readonly given: RoleUnderTest,
    private readonly bounds: SearchBounds,
  ) {
    const { program, moves } = given;
    this.abstraction = new Abstraction(program, null, () => 0);
    this.counters = ruleCounters(program);
    this.outputs = new OutputKinds(program, moves);
    this.terminal = new Set(program.pack.phases?.terminal ?? []);
    this.explore();
  }

  /** Number of states whose calls are known. */
  get explored(): number {
    return this.states.filter(({ session }) => session === null).length;
  }

  actionsTo(state: RoleState): readonly Action[] {
    return actionsTo(state.node);
  }

  private explore(): void {
    const limit = Math.min(this.bounds.states, most("states_of_role"));
    this.index({ parent: null, action: null, depth: 0 }, newSession(this.given.program), new Set());
    for (let at = 0; at < this.states.length; at++) {
      const state = this.states[at];
      if (state === undefined) continue;
      if (at >= limit || state.node.depth >= this.bounds.depth) {
        cut(at >= limit ? (limit < most("states_of_role") ? "states" : "states_of_role") : "depth");
        return;
      }
      this.expand(state);
    }
  }

  private index(node: Node, session: Session, held: ReadonlySet<string>): number {
    const counted = this.counters.map((counter) => counter(session));
    const key = JSON.stringify([this.abstraction.keyOf(session), counted, [...held].sort()]);
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.states.length;
    this.indices.set(key, index);
    const isFinished = session.phase !== null && this.terminal.has(session.phase);
    this.states.push({ node, isFinished, held, edges: [], session });
    return index;
  }

  private expand(state: RoleState): void {
    const { session, node, held, edges } = state;
    if (session === null) return;
    state.session = null;
    const { program } = this.given;
    for (const tool of program.tools.values()) {
      for (const { proposal, call } of this.calls(tool, session)) {
        const owned = ownedBy(call);
        const now = owned.length === 0 ? held : new Set([...held, ...owned]);
        for (const output of this.outputs.of(tool)) {
          const outcome: PlannedOutcome = { kind: "result", output };
          const next = perform(program, session, proposal, outcome).session;
          // A session that its circuit breaker ended waits for nothing.
          if (next.isKilled) continue;
          const action = actionOf(call, outcome);
          edges.push({ call, outcome, to: this.index({ parent: node, action, depth: node.depth + 1 }, next, now) });
        }
      }
    }
  }

  /** The allowed calls of a tool, one for each effect on the session and on shared resources. */
  private calls(tool: Tool, session: Session): readonly { readonly proposal: Proposal; readonly call: RoleCall }[] {
    const { program, moves, keys, role } = this.given;
    if (whyHidden(program, session, tool) !== null) return [];
    const found = new Map<string, { readonly proposal: Proposal; readonly call: RoleCall }>();
    for (const { args: plain } of moves.likely(tool, session)) {
      for (const args of keys.variants(role.name, tool, plain)) {
        const touched = touchesOf(role, args);
        const touches = touched
          .filter(isTouch)
          .map(
            ({ resource: { alias, mode }, key }): TouchedName => ({ alias, mode, name: resourceName({ alias, key }) }),
          );
        const effect = JSON.stringify([effectOfCall(program, tool, args), touches.map(({ name }) => name)]);
        const proposal = proposalOf(tool, args);
        if (touches.length < touched.length || found.has(effect) || judge(program, session, proposal) !== null)
          continue;
        if (isBeyond(found.size + 1, "calls_in_state")) return [...found.values()];
        const isAsked = decide(program, session, proposal, 0).kind === "needs_approval";
        found.set(effect, { proposal, call: { tool: tool.name, args, isMutating: !tool.isRead, touches, isAsked } });
      }
    }
    return [...found.values()];
  }

  /**
   * The states from which a session can still finish while others own some resources: reach a terminal phase, or, without phases,
   * make a call at all. What was not followed to its end counts as a path to the end.
   */
  finishing(owned: ReadonlySet<string>): ReadonlySet<number> {
    const key = JSON.stringify([...owned].sort());
    const known = this.reached.get(key) ?? this.computeFinishing(owned);
    this.reached.set(key, known);
    return known;
  }

  private computeFinishing(owned: ReadonlySet<string>): ReadonlySet<number> {
    const isOpen = ({ call }: Edge) => !ownedBy(call).some((name) => owned.has(name));
    const back: number[][] = this.states.map(() => []);
    this.states.forEach(({ edges }, from) => {
      for (const edge of edges) if (isOpen(edge)) back[edge.to]?.push(from);
    });
    const found = new Set<number>();
    const open = this.states.flatMap(({ isFinished, session, edges }, index) => {
      const isEnd = this.terminal.size === 0 ? edges.some(isOpen) : isFinished;
      return isEnd || session !== null ? [index] : [];
    });
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (found.has(at)) continue;
      found.add(at);
      // Without an end to reach, only what a session can do at once counts.
      if (this.terminal.size > 0) open.push(...(back[at] ?? []));
    }
    return found;
  }

  /** The shortest way from a state to a call that only the owners of some resources prevent; null if there is none. */
  wanted(from: number, owned: ReadonlySet<string>): WantedCall | null {
    const isPrevented = ({ call }: Edge) => ownedBy(call).some((name) => owned.has(name));
    const queue: { readonly at: number; readonly way: readonly Action[] }[] = [{ at: from, way: [] }];
    const seen = new Set([from]);
    for (const { at, way } of queue) {
      const edges = this.states[at]?.edges ?? [];
      const prevented = edges.find(isPrevented);
      if (prevented !== undefined) return { way, call: prevented.call };
      for (const { call, outcome, to } of edges) {
        if (seen.has(to)) continue;
        seen.add(to);
        queue.push({ at: to, way: [...way, actionOf(call, outcome)] });
      }
    }
    return null;
  }
}
