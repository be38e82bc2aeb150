import type { WorkflowStep, WorkflowTrace } from "../../analysis/workflow/workflow-trace.js";
import { workflowStepText } from "../../analysis/workflow/workflow-words.js";
import type { Artifact } from "../../artifact/compiled.js";
import { packOfRole } from "../../artifact/roles.js";
import { unreachable } from "../../base/invariant.js";
import { type StepView, titled, verdictFacts, written } from "./step-view.js";

type Titled = Pick<StepView, "title" | "verdict" | "facts">;

/** The phases of the sessions of a run, step by step. */
class SessionPhases {
  private readonly phases = new Map<string, string | null>();

  constructor(artifact: Artifact, { sessions }: WorkflowTrace) {
    for (const { session, role } of sessions) {
      this.phases.set(session, packOfRole(artifact, role)?.phases?.initial ?? null);
    }
  }

  /** The phase after a step, and the one before it where that is another. */
  facts(session: string, phase: string | null): StepView["facts"] {
    const before = this.phases.get(session) ?? null;
    this.phases.set(session, phase);
    if (phase === null) return [];
    return [["Phase", before === phase || before === null ? `${phase} (unchanged)` : `${before} → ${phase}`]];
  }
}

function runTitled(step: WorkflowStep, phases: SessionPhases): Titled {
  const { session } = step;
  switch (step.kind) {
    case "start":
    case "handoff":
      return { title: workflowStepText(step), verdict: "event", facts: [["Role", step.role]] };
    case "close":
      return { title: workflowStepText(step), verdict: "event", facts: [] };
    case "act": {
      const { title, verdict, facts } = titled(step.step);
      const own = [...facts, ...phases.facts(session, step.step.phase)];
      return { title: `${session}: ${title}`, verdict, facts: own };
    }
    case "ask":
      return { title: `${session}: ${step.tool}`, verdict: "waits", facts: [["Arguments", written(step.args)]] };
    case "approve": {
      const { tool, verdict } = step;
      return {
        title: `${session}: the approval of ${tool} comes`,
        verdict: verdict.kind,
        facts: verdictFacts(verdict),
      };
    }
    default:
      return unreachable(step);
  }
}

/** The steps of a run of the artifact's workflow, each with the roles that it concerns. */
export function runSteps(artifact: Artifact, trace: WorkflowTrace): readonly StepView[] {
  const phases = new SessionPhases(artifact, trace);
  const numbers = new Map(artifact.workflow?.roles.map(({ name }, index) => [name, index]));
  const roles = new Map(trace.sessions.map(({ session, role }) => [session, numbers.get(role) ?? null]));
  return trace.steps.map((step) => ({
    ...runTitled(step, phases),
    tool: null,
    from: roles.get(step.session) ?? null,
    to: roles.get(step.kind === "handoff" ? step.child : step.session) ?? null,
  }));
}
