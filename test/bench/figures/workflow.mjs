import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";
import { scenarioArtifact, workflowArtifact } from "../scenario/artifact.mjs";

/** The comparison is made in so many processes. */
const PROCESSES = 3;

/** What it costs to be one session of several: a second log in the same append, limits and shared resources. */
export const workflowPropose = {
  title: "A proposal in a session of a workflow, store in memory",
  figures: ["workflow_propose_vs_session"],
  run(progress) {
    progress("a session alone and one of a workflow, taking turns");
    const artifacts = { alone: scenarioArtifact(), seated: workflowArtifact() };
    const runs = Array.from({ length: PROCESSES }, () => runTask("workflow", artifacts));
    const { alone, seated } = middleOf(runs, "seated", "alone");
    return {
      figures: { workflow_propose_vs_session: figure(seated / alone, "ratio", { atMost: 2 }) },
      table: {
        columns: ["session", "ns", "ratio"],
        rows: [
          ["alone", rounded(alone), 1],
          ["of a workflow", rounded(seated), rounded(seated / alone)],
        ],
      },
    };
  },
};
