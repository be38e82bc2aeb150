import type { AppendEnd, Companion } from "../../guard/durable/companion.js";
import type { Note } from "../../guard/durable/note.js";
import type { StreamWrite } from "../../guard/durable-store.js";
import type { Program } from "../../guard/program/program.js";
import type { LogStep } from "../../guard/session/session-log.js";
import type { Wait } from "../../guard/session/store.js";
import type { SessionStatus } from "../state/workflow-state.js";
import type { Coordinator } from "./coordinator.js";
import { progressOf } from "./progress.js";
import { type JudgedSeat, SeatJudge } from "./seat-judge.js";

/** What a seat is made of. */
export interface SeatParts extends JudgedSeat {
  readonly coordinator: Coordinator;
  readonly program: Program;
}

/** One session in its workflow: judged by the state that all of them share, and recorded with it. */
export class WorkflowSeat extends SeatJudge implements Companion {
  /** The decision that was made last read the state of the workflow. */
  private isNoticed = false;
  /** The append that is under way adds to the log of the workflow. */
  private isWriting = false;

  /** Something urgent waits for the attempt that is under way. */
  private isHastened = false;

  constructor(private readonly parts: SeatParts) {
    super(parts, () => {
      this.isNoticed = true;
      return parts.coordinator.state;
    });
  }

  /** Where the session stands. */
  get status(): SessionStatus {
    return this.member.status;
  }

  get revision(): number {
    return this.parts.coordinator.revision;
  }

  get sessionRevision(): number {
    const { coordinator, sessionId } = this.parts;
    return coordinator.state.sessions.get(sessionId)?.revision ?? 0;
  }

  override onStatus(listener: () => void, usedBy?: object): void {
    const { coordinator, sessionId } = this.parts;
    coordinator.onStatus(sessionId, listener, usedBy);
  }

  alone<T>(wait: Wait, attempt: () => Promise<T>): Promise<T> {
    const isUrgent = wait.isUrgent === true;
    const hastened = this.isHastened && !isUrgent ? { ...wait, isUrgent: true } : wait;
    if (isUrgent) this.isHastened = false;
    return this.parts.coordinator.alone(hastened, attempt, this);
  }

  hasten(): void {
    this.isHastened = true;
    this.parts.coordinator.hasten(this);
  }

  noticed<T>(decide: () => T): T {
    this.isNoticed = false;
    return decide();
  }

  noted(note: Note): Note {
    return this.isNoticed ? { ...note, judgedAt: this.parts.coordinator.revision } : note;
  }

  catchUp(wait: Wait, isAgain = false): Promise<boolean> {
    return this.parts.coordinator.catchUp(wait, isAgain);
  }

  async isCurrent(wait: Wait): Promise<boolean> {
    return !this.isNoticed || !(await this.catchUp(wait));
  }

  async written(step: LogStep, revision: number, wait: Wait): Promise<StreamWrite | null> {
    const { coordinator, program, role } = this.parts;
    const { isNoticed } = this;
    const event = progressOf({ program, role, member: this.member }, step, revision);
    // What is written follows from the step, and is no part of the decision.
    this.isNoticed = isNoticed;
    this.isWriting = event !== null;
    return event === null ? null : coordinator.encoded([event], { id: step.id, at: step.at ?? null }, wait);
  }

  ended(end: AppendEnd): void {
    if (this.isWriting) this.parts.coordinator.ended(end);
  }

  watch(listener: () => void): () => void {
    const { coordinator, sessionId } = this.parts;
    return coordinator.watchSession(sessionId, listener);
  }
}
