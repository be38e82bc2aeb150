import { invariant } from "../../base/invariant.js";
import type { Block } from "../../guard/decide/verdict.js";
import type { AppendEnd, Companion } from "../../guard/durable/companion.js";
import type { StreamWrite } from "../../guard/durable-store.js";
import type { Program, Proposal } from "../../guard/program/program.js";
import type { Seat } from "../../guard/seat.js";
import type { Session } from "../../guard/session/session.js";
import type { LogStep } from "../../guard/session/session-log.js";
import type { Wait } from "../../guard/session/store.js";
import { admission } from "../rules/admission.js";
import { callRefusal, callRefusals, type WorkflowCall } from "../rules/call-refusal.js";
import { workLimits } from "../rules/limits.js";
import { stepRefusal } from "../rules/step-refusal.js";
import { touchesOf } from "../rules/touched-resources.js";
import type { RoleRules, WorkflowRules } from "../rules/workflow-rules.js";
import type { Member } from "../state/workflow-state.js";
import type { Coordinator } from "./coordinator.js";
import { progressOf } from "./progress.js";

/** What a seat is made of. */
export interface SeatParts {
  readonly coordinator: Coordinator;
  readonly rules: WorkflowRules;
  readonly role: RoleRules;
  readonly program: Program;
  readonly sessionId: string;
}

/** One session in its workflow: judged by the state that all of them share, and recorded with it. */
export class WorkflowSeat implements Seat, Companion {
  /** The decision that was made last read the state of the workflow. */
  private isNoticed = false;
  /** The append that is under way adds to the log of the workflow. */
  private isWriting = false;

  constructor(private readonly parts: SeatParts) {}

  admit(): Block | null {
    const { rules, coordinator } = this.parts;
    return admission(rules, coordinator.state, this.member());
  }

  killed(): Block | null {
    const refused = this.admit();
    return refused?.reason === "workflow_killed" || refused?.reason === "session_killed" ? refused : null;
  }

  refuse(session: Session, proposal: Proposal): Block | null {
    const { rules, coordinator } = this.parts;
    return callRefusal(rules, coordinator.state, { member: this.member(), call: this.call(session, proposal) });
  }

  refusals(session: Session, proposal: Proposal): readonly Block[] {
    const { rules, coordinator } = this.parts;
    return callRefusals(rules, coordinator.state, { member: this.member(), call: this.call(session, proposal) });
  }

  refuseAll({ openSteps }: Session): Block | null {
    const { rules, coordinator } = this.parts;
    return this.admit() ?? workLimits(rules, coordinator.state, openSteps === 0);
  }

  refuseStep(): Block | null {
    const { rules, coordinator } = this.parts;
    return stepRefusal(rules, coordinator.state);
  }

  onStatus(listener: () => void): () => void {
    const { coordinator, sessionId } = this.parts;
    return coordinator.onStatus(sessionId, listener);
  }

  alone<T>(wait: Wait, attempt: () => Promise<T>): Promise<T> {
    return this.parts.coordinator.alone(wait, attempt);
  }

  noticed<T>(decide: () => T): T {
    this.isNoticed = false;
    return decide();
  }

  catchUp(wait: Wait): Promise<boolean> {
    return this.parts.coordinator.catchUp(wait);
  }

  async isCurrent(wait: Wait): Promise<boolean> {
    return !this.isNoticed || !(await this.catchUp(wait));
  }

  async written(step: LogStep, wait: Wait): Promise<StreamWrite | null> {
    const { coordinator, program, role } = this.parts;
    const event = progressOf({ program, role, member: this.member() }, step);
    this.isWriting = event !== null;
    return event === null ? null : coordinator.encoded([event], { at: step.at ?? null }, wait);
  }

  ended(end: AppendEnd): void {
    if (this.isWriting) this.parts.coordinator.ended(end);
  }

  watch(listener: () => void): () => void {
    const { coordinator, sessionId } = this.parts;
    return coordinator.watchSession(sessionId, listener);
  }

  private member(): Member {
    const { coordinator, sessionId } = this.parts;
    this.isNoticed = true;
    const member = coordinator.state.sessions.get(sessionId);
    invariant(member !== undefined, "a session has its seat from its start on");
    return member;
  }

  private call({ openSteps }: Session, { tool, args }: Proposal): WorkflowCall {
    const { role } = this.parts;
    return { isStep: openSteps === 0, isMutating: !tool.isRead, touches: touchesOf(role, args) };
  }
}
