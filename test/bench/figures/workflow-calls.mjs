import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";
import { scenarioArtifact, workflowArtifact } from "../scenario/artifact.mjs";

/** The comparison is made in so many processes. */
const PROCESSES = 3;

/** What it costs that a proposal is judged and recorded in a workflow too. */
export const workflowCalls = {
  title: "A proposal in memory, in a session of a workflow and in one without",
  figures: ["workflow_propose_vs_session"],
  run(progress) {
    progress("both, taking turns");
    const input = { session: scenarioArtifact(), workflow: workflowArtifact() };
    const runs = Array.from({ length: PROCESSES }, () => runTask("workflow-calls", input));
    const { workflow, session } = middleOf(runs, "workflow", "session");
    return {
      figures: { workflow_propose_vs_session: figure(workflow / session, "ratio", { atMost: 2 }) },
      table: {
        columns: ["", "µs a proposal"],
        rows: [
          ["a session in a store", rounded(1000 * session)],
          ["a session of a workflow", rounded(1000 * workflow)],
        ],
      },
    };
  },
};
