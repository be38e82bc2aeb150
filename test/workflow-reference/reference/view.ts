import type { Reason } from "../../../src/artifact/reasons.js";
import { withDefaults } from "../../differential/reference/additions.js";
import { type CallText, costsOf, currentStep, type Event, readCalls } from "../../differential/reference/history.js";
import type { Pack } from "../../differential/reference/model.js";
import { stepsSoFar } from "../../differential/reference/state.js";
import { type Counts, openHandoffs, startLimit, totalCost, workLimit } from "./limits.js";
import type { Happening, WorkflowPack, WorkflowState } from "./model.js";
import { type Caller, conflictOf, holdingsOf } from "./resources.js";
import { isLive, isWorkflowKilled, readSessions, type Session } from "./sessions.js";

/** What a workflow is and allows, read from everything that happened so far. */
export class View {
  constructor(
    private readonly pack: WorkflowPack,
    private readonly history: readonly Happening[],
    /** What happened to one session. */
    private readonly eventsOf: (session: string) => readonly Event[],
  ) {}

  /** A session by its id; one that does not exist is a mistake of the caller. */
  session(id: string | undefined): Session {
    const session = readSessions(this.history).find((candidate) => candidate.id === id);
    if (session === undefined) throw new TypeError("no such session");
    return session;
  }

  packOf(role: string): Pack {
    const pack = this.pack.packs.get(role);
    if (pack === undefined) throw new TypeError("no such role");
    return withDefaults(pack);
  }

  /** Why nothing new may happen in a session: the workflow's state comes before the session's. */
  ended(id: string): Reason | null {
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

  startLimit(isHandoff: boolean): Reason | null {
    return startLimit(this.limits, this.counts(), isHandoff);
  }

  stepLimit(): Reason | null {
    return workLimit(this.limits, this.counts(), 1);
  }

  callLimit(id: string): Reason | null {
    return workLimit(this.limits, this.counts(), currentStep(this.eventsOf(id)) === "own" ? 1 : 0);
  }

  conflict(id: string, call: CallText): Reason | null {
    const others = this.callers().filter((caller) => caller.id !== id);
    return conflictOf({ pack: this.packOf(this.session(id).role), ...call }, this.shared, others);
  }

  state(): WorkflowState {
    const counts = this.counts();
    return {
      killed: isWorkflowKilled(this.history),
      sessions: counts.sessions.map((session) => {
        const { id, role, parent, status } = session;
        const own = this.countsOf([session]);
        return { id, role, parent, status, steps: own.steps, cost: totalCost(own) };
      }),
      openHandoffs: openHandoffs(counts.sessions),
      totals: {
        sessions: counts.sessions.length,
        active: counts.sessions.filter(isLive).length,
        steps: counts.steps,
        cost: totalCost(counts),
      },
      resources: holdingsOf(this.shared, this.callers()),
    };
  }

  private get limits() {
    return this.pack.workflow.workflow_limits ?? {};
  }

  private get shared() {
    return this.pack.workflow.shared_resources ?? [];
  }

  private callers(): readonly Caller[] {
    return readSessions(this.history).map((session) => {
      const pack = this.packOf(session.role);
      const events = this.eventsOf(session.id);
      const released = events.flatMap((event) =>
        event.kind === "settled" && event.end.kind === "released" ? [event.callId] : [],
      );
      const { all } = readCalls(pack, events);
      return { id: session.id, pack, isLive: isLive(session), calls: all, released: new Set(released) };
    });
  }

  private counts(): Counts {
    return this.countsOf(readSessions(this.history));
  }

  private countsOf(sessions: readonly Session[]): Counts {
    const steps = sessions.map(({ id, role }) => stepsSoFar(this.packOf(role), this.eventsOf(id)));
    return {
      sessions,
      steps: steps.reduce((sum, more) => sum + more, 0),
      costs: sessions.flatMap(({ id }) => costsOf(this.eventsOf(id))),
    };
  }
}
