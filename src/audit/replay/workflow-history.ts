import type { Seat } from "../../guard/seat.js";
import { SeatJudge } from "../../workflow/log/seat-judge.js";
import type { WorkflowRules } from "../../workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../workflow/state/advance-workflow.js";
import type { WorkflowEvent } from "../../workflow/state/workflow-event.js";
import { newWorkflow, type WorkflowState } from "../../workflow/state/workflow-state.js";
import { readWorkflowRecord } from "../read-record.js";

/** What a workflow has recorded, as far as it can be read; null stands for a record without an event. */
export type WorkflowHistory = readonly (WorkflowEvent | null)[];

/** Reads the log of a workflow up to the first record that cannot be read. */
export async function workflowHistory(records: AsyncIterable<{ readonly data: string }>): Promise<WorkflowHistory> {
  const events: (WorkflowEvent | null)[] = [];
  for await (const { data } of records) {
    const { record } = readWorkflowRecord(data);
    if (record === null || "sealed" in record.content) break;
    events.push(record.content.event);
  }
  return events;
}

/** The seat of one session at the moments of its verdicts. */
export class RecordedSeat {
  private state: WorkflowState = newWorkflow();
  private revision = 0;

  constructor(
    private readonly history: WorkflowHistory,
    private readonly rules: WorkflowRules,
    private readonly session: { readonly id: string; readonly role: string },
  ) {}

  /** The seat after so many records of the workflow; null if that is not known. */
  at(revision: number): Seat | null {
    const role = this.rules.roles.get(this.session.role);
    if (role === undefined || !this.goTo(revision) || !this.state.sessions.has(this.session.id)) return null;
    const { state } = this;
    return new SeatJudge({ rules: this.rules, role, sessionId: this.session.id }, () => state);
  }

  private goTo(revision: number): boolean {
    if (revision > this.history.length) return false;
    if (revision < this.revision) {
      this.state = newWorkflow();
      this.revision = 0;
    }
    try {
      for (; this.revision < revision; this.revision += 1) {
        const event = this.history[this.revision] ?? null;
        if (event !== null) advanceWorkflow(this.rules, this.state, event);
      }
      return true;
    } catch {
      // What the log says cannot have happened; verifying it says where.
      this.state = newWorkflow();
      this.revision = 0;
      return false;
    }
  }
}

/** A place in a workflow whose limits and shared resources refuse no call; whether the session goes on still counts. */
export function withoutRules(seat: Seat): Seat {
  return {
    admit: () => seat.admit(),
    killed: () => seat.killed(),
    refuse: () => null,
    refusals: () => [],
    refuseAll: (session) => seat.refuseAll(session),
    refuseStep: () => seat.refuseStep(),
    onStatus: (listener, usedBy) => seat.onStatus(listener, usedBy),
  };
}
