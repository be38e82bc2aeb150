import type { Reason } from "../../src/artifact/reasons.js";
import { costsOf, currentStep, type Event, readCalls } from "../differential/reference/history.js";
import type { Options, Pack } from "../differential/reference/model.js";
import type { Seat } from "../differential/reference/seat.js";
import { stepsSoFar } from "../differential/reference/state.js";
import { ReferenceGuard } from "../differential/reference-guard.js";
import { artifactRefusal } from "./reference/artifacts.js";
import { type Counts, openHandoffs, startLimit, totalCost, workLimit } from "./reference/limits.js";
import {
  type Answered,
  type ClosePolicy,
  DONE,
  type Happening,
  type Kill,
  refused,
  type WorkflowPack,
  type WorkflowState,
} from "./reference/model.js";
import { type Caller, conflictOf, holdingsOf } from "./reference/resources.js";
import { isLive, isWorkflowKilled, readSessions, type Session } from "./reference/sessions.js";

/** How the guard of a session is made. */
export type SessionOptions = Omit<Options, "seat">;

interface Begin {
  readonly role: string;
  readonly sessionId: string;
  readonly options: SessionOptions;
}

interface Handoff extends Begin {
  readonly from: string;
  readonly artifacts?: unknown;
}

/**
 * A workflow as semantics.md says it, in one process and slowly: it keeps nothing but what happened, and reads all of it
 * again for every answer.
 */
export class ReferenceWorkflow {
  private readonly history: Happening[] = [];
  /** The first guard of each session, which leads to its history. */
  private readonly guards = new Map<string, ReferenceGuard>();

  constructor(
    private readonly pack: WorkflowPack,
    /** Sessions in the same store that are none of the workflow's. */
    private readonly others: ReadonlySet<string> = new Set(),
  ) {}

  start(begin: Begin): Answered {
    this.packOf(begin.role);
    if (isWorkflowKilled(this.history)) return refused("workflow_killed");
    if (this.pack.workflow.handoffs?.some(({ to }) => to === begin.role)) return refused("handoff_required");
    return this.begin(begin, null, "request_cancel");
  }

  handoff(handoff: Handoff): Answered {
    const { from, role, artifacts } = handoff;
    this.packOf(role);
    const ended = this.ended(from);
    if (ended !== null) return refused(ended);
    const { handoffs = [], parent_close_policy: policy } = this.pack.workflow;
    const declared = handoffs.find((entry) => entry.from === this.session(from).role && entry.to === role);
    if (declared === undefined) return refused("handoff_not_declared");
    const refusal = artifactRefusal(artifacts, declared.requires_artifacts ?? []);
    if (refusal !== null) return refused(refusal);
    return this.begin(handoff, from, declared.parent_close_policy ?? policy?.default ?? "request_cancel");
  }

  /** Another guard of a session: of another process, or of one that came after a crash. */
  attach(sessionId: string, options: SessionOptions): ReferenceGuard {
    this.session(sessionId);
    const guard = this.guards.get(sessionId);
    if (guard === undefined) throw new Error(`session ${sessionId} has no guard`);
    return guard.another({ ...options, seat: this.seatOf(sessionId, guard) });
  }

  unsettledIn(sessionId: string): readonly string[] {
    return (
      this.guards
        .get(sessionId)
        ?.unsettled()
        .map(({ callId }) => callId) ?? []
    );
  }

  close(sessionId: string): Answered {
    this.session(sessionId);
    this.history.push({ kind: "closed", session: sessionId });
    return DONE;
  }

  kill({ scope, session, operator }: Kill): Answered {
    const { cancellation } = this.pack.workflow;
    switch (scope) {
      case "session":
        this.history.push({ kind: "killed", session: this.session(session).id });
        return DONE;
      case "subtree": {
        const { id } = this.session(session);
        if (cancellation?.subtree_kill !== true) return this.refuseKill(scope);
        this.history.push({ kind: "subtree_killed", session: id });
        return DONE;
      }
      case "workflow":
        if (cancellation?.workflow_kill === "operator_only" && operator === undefined) return this.refuseKill(scope);
        this.history.push({ kind: "workflow_killed" });
        return DONE;
      default:
        throw new TypeError("no such scope");
    }
  }

  /** A guard may kill its own session, by hand or by its circuit breaker; call it after each thing done through a guard. */
  noteKills(): void {
    for (const [session, guard] of this.guards) {
      const isNoted = this.history.some((happening) => happening.kind === "killed" && happening.session === session);
      if (guard.isKilled() && !isNoted) this.history.push({ kind: "killed", session });
    }
  }

  state(): WorkflowState {
    const counts = this.counts();
    return {
      killed: isWorkflowKilled(this.history),
      sessions: counts.sessions.map(({ id, role, parent, status }) => {
        const own = this.countsOf([this.session(id)]);
        return { id, role, parent, status, steps: own.steps, cost: totalCost(own) };
      }),
      openHandoffs: openHandoffs(counts.sessions),
      totals: {
        sessions: counts.sessions.length,
        active: counts.sessions.filter(isLive).length,
        steps: counts.steps,
        cost: totalCost(counts),
      },
      resources: holdingsOf(this.pack.workflow.shared_resources ?? [], this.callers()),
    };
  }

  private begin({ role, sessionId, options }: Begin, parent: string | null, policy: ClosePolicy): Answered {
    const limit = startLimit(this.pack.workflow.workflow_limits ?? {}, this.counts(), parent !== null);
    if (limit !== null) return refused(limit);
    if (this.others.has(sessionId) || this.guards.has(sessionId)) return refused("session_exists");
    this.history.push({ kind: "started", session: sessionId, role, parent, policy });
    const guard = new ReferenceGuard(this.packOf(role), options);
    this.guards.set(sessionId, guard);
    return DONE;
  }

  private refuseKill(scope: "subtree" | "workflow"): Answered {
    this.history.push({ kind: "kill_refused", scope });
    return refused("kill_not_permitted");
  }

  private seatOf(id: string, guard: ReferenceGuard): Seat {
    const limits = this.pack.workflow.workflow_limits ?? {};
    return {
      ended: () => this.ended(id),
      callLimit: () => workLimit(limits, this.counts(), currentStep(guard.history()) === "own" ? 1 : 0),
      stepLimit: () => workLimit(limits, this.counts(), 1),
      conflict: (call) => {
        const others = this.callers().filter((caller) => caller.id !== id);
        const pack = this.packOf(this.session(id).role);
        return conflictOf({ pack, ...call }, this.pack.workflow.shared_resources ?? [], others);
      },
    };
  }

  /** Why nothing new may happen in a session: the workflow's state comes before the session's. */
  private ended(id: string): Reason | null {
    if (isWorkflowKilled(this.history)) return "workflow_killed";
    switch (this.session(id).status) {
      case "killed":
        return "session_killed";
      case "closed":
        return "session_closed";
      case "cancel_requested":
        return "cancel_requested";
      case "active":
        return null;
    }
  }

  private callers(): readonly Caller[] {
    return readSessions(this.history).map((session) => {
      const pack = this.packOf(session.role);
      const { all } = readCalls(pack, this.eventsOf(session));
      return { id: session.id, pack, isLive: isLive(session), calls: all };
    });
  }

  private counts(): Counts {
    return this.countsOf(readSessions(this.history));
  }

  private countsOf(sessions: readonly Session[]): Counts {
    const steps = sessions.map((session) => stepsSoFar(this.packOf(session.role), this.eventsOf(session)));
    return {
      sessions,
      steps: steps.reduce((sum, more) => sum + more, 0),
      costs: sessions.flatMap((session) => costsOf(this.eventsOf(session))),
    };
  }

  private eventsOf({ id }: Session): readonly Event[] {
    return this.guards.get(id)?.history() ?? [];
  }

  private session(id: string | undefined): Session {
    const session = readSessions(this.history).find((candidate) => candidate.id === id);
    if (session === undefined) throw new TypeError("no such session");
    return session;
  }

  private packOf(role: string): Pack {
    const pack = this.pack.packs.get(role);
    if (pack === undefined) throw new TypeError("no such role");
    return pack;
  }
}
