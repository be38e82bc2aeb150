import { invariant } from "../../base/invariant.js";
import type { Block } from "../../guard/decide/verdict.js";
import type { Proposal } from "../../guard/program/program.js";
import type { Seat } from "../../guard/seat.js";
import type { Session } from "../../guard/session/session.js";
import { admission } from "../rules/admission.js";
import { callRefusal, callRefusals, type WorkflowCall } from "../rules/call-refusal.js";
import { workLimits } from "../rules/limits.js";
import { stepRefusal } from "../rules/step-refusal.js";
import { touchesOf } from "../rules/touched-resources.js";
import type { RoleRules, WorkflowRules } from "../rules/workflow-rules.js";
import type { Member, WorkflowState } from "../state/workflow-state.js";

/** What is judged: a session of a role, by the rules of its workflow. */
export interface JudgedSeat {
  readonly rules: WorkflowRules;
  readonly role: RoleRules;
  readonly sessionId: string;
}

/** Judges what a session does by a state of its workflow. */
export class SeatJudge implements Seat {
  constructor(
    private readonly judged: JudgedSeat,
    /** The state to judge by, at each question. */
    private readonly state: () => WorkflowState,
  ) {}

  /** The session, as its workflow knows it. */
  get member(): Member {
    const member = this.state().sessions.get(this.judged.sessionId);
    invariant(member !== undefined, "a session has its seat from its start on");
    return member;
  }

  admit(): Block | null {
    return admission(this.judged.rules, this.state(), this.member);
  }

  killed(): Block | null {
    const refused = this.admit();
    return refused?.reason === "workflow_killed" || refused?.reason === "session_killed" ? refused : null;
  }

  refuse(session: Session, proposal: Proposal): Block | null {
    return callRefusal(this.judged.rules, this.state(), { member: this.member, call: this.call(session, proposal) });
  }

  refusals(session: Session, proposal: Proposal): readonly Block[] {
    return callRefusals(this.judged.rules, this.state(), { member: this.member, call: this.call(session, proposal) });
  }

  refuseAll({ openSteps }: Session): Block | null {
    return this.admit() ?? workLimits(this.judged.rules, this.state(), openSteps === 0);
  }

  refuseStep(): Block | null {
    return stepRefusal(this.judged.rules, this.state());
  }

  /** One state does not change. */
  onStatus(_listener: () => void, _usedBy?: object): void {}

  private call({ openSteps }: Session, { tool, args }: Proposal): WorkflowCall {
    return { isStep: openSteps === 0, isMutating: !tool.isRead, touches: touchesOf(this.judged.role, args) };
  }
}
