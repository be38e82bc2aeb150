import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

function row(name, { guard, handWritten }) {
  return [name, rounded(guard), rounded(handWritten), rounded(guard / handWritten)];
}

/** What deciding and reserving one call costs, beside a function written by hand for the one contract. */
export const decision = {
  title: "One decision: decide and reserve",
  figures: ["decision_vs_handwritten"],
  run(progress) {
    progress("the guard and a hand-written function, taking turns");
    const artifact = scenarioArtifact();
    const measured = runTask("decision", { artifact });
    const collected = { guard: runTask("collection", { artifact }), handWritten: runTask("collection", {}) };
    const { guard, handWritten } = measured.allowed;
    return {
      figures: { decision_vs_handwritten: figure(guard / handWritten, "ratio", { atMost: 3 }) },
      table: {
        columns: ["traffic", "guard ns", "hand-written ns", "ratio"],
        rows: [
          row("A: all allowed", measured.allowed),
          row("A, arguments copied before", measured.copying),
          row("A, deciding only", measured.judging),
          row("B: 8 of 9 blocked", measured.mixed),
          row("A, garbage collection", collected),
          ["A, awaited guard.propose", rounded(measured.awaited), "-", "-"],
        ],
      },
    };
  },
};
