import type { Options } from "../differential/reference/model.js";
import { ReferenceGuard } from "../differential/reference-guard.js";
import { artifactRefusal } from "./reference/artifacts.js";
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
import { isWorkflowKilled } from "./reference/sessions.js";
import { View } from "./reference/view.js";

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
  private readonly view: View;

  constructor(
    private readonly pack: WorkflowPack,
    /** Sessions in the same store that are none of the workflow's. */
    private readonly others: ReadonlySet<string> = new Set(),
  ) {
    this.view = new View(pack, this.history, (session) => this.guards.get(session)?.history() ?? []);
  }

  start(begin: Begin): Answered {
    this.view.packOf(begin.role);
    if (isWorkflowKilled(this.history)) return refused("workflow_killed");
    if (this.pack.workflow.handoffs?.some(({ to }) => to === begin.role)) return refused("handoff_required");
    return this.begin(begin, null, "request_cancel");
  }

  handoff(handoff: Handoff): Answered {
    const { from, role, artifacts } = handoff;
    this.view.packOf(role);
    const ended = this.view.ended(from);
    if (ended !== null) return refused(ended);
    const { handoffs = [], parent_close_policy: policy } = this.pack.workflow;
    const declared = handoffs.find((entry) => entry.from === this.view.session(from).role && entry.to === role);
    if (declared === undefined) return refused("handoff_not_declared");
    const refusal = artifactRefusal(artifacts, declared.requires_artifacts ?? []);
    if (refusal !== null) return refused(refusal);
    return this.begin(handoff, from, declared.parent_close_policy ?? policy?.default ?? "request_cancel");
  }

  /** Another guard of a session: of another process, or of one that came after a crash. */
  attach(sessionId: string, options: SessionOptions): ReferenceGuard {
    const { view } = this;
    view.session(sessionId);
    const guard = this.guards.get(sessionId);
    if (guard === undefined) throw new Error(`session ${sessionId} has no guard`);
    const seat = {
      ended: () => view.ended(sessionId),
      callLimit: () => view.callLimit(sessionId),
      stepLimit: () => view.stepLimit(),
      conflict: view.conflict.bind(view, sessionId),
    };
    return guard.another({ ...options, seat });
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
    this.history.push({ kind: "closed", session: this.view.session(sessionId).id });
    return DONE;
  }

  kill({ scope, session, operator }: Kill): Answered {
    const { cancellation } = this.pack.workflow;
    switch (scope) {
      case "session":
        this.history.push({ kind: "killed", session: this.view.session(session).id });
        return DONE;
      case "subtree": {
        const { id } = this.view.session(session);
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

  /** Everything that happened. */
  whole(): unknown {
    const sessions = [...this.guards].map(([id, guard]) => [id, guard.history()] as const);
    return [this.history, sessions.sort(([a], [b]) => (a < b ? -1 : 1))];
  }

  state(): WorkflowState {
    return this.view.state();
  }

  private begin({ role, sessionId, options }: Begin, parent: string | null, policy: ClosePolicy): Answered {
    const limit = this.view.startLimit(parent !== null);
    // Limits only record in the other modes.
    if (limit !== null && options.mode === "enforce") return refused(limit);
    if (this.others.has(sessionId) || this.guards.has(sessionId)) return refused("session_exists");
    this.history.push({ kind: "started", session: sessionId, role, parent, policy });
    this.guards.set(sessionId, new ReferenceGuard(this.view.packOf(role), options));
    return DONE;
  }

  private refuseKill(scope: "subtree" | "workflow"): Answered {
    this.history.push({ kind: "kill_refused", scope });
    return refused("kill_not_permitted");
  }
}
