import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

function row(name, { guard, handWritten }) {
  return [name, rounded(guard), rounded(handWritten), rounded(guard / handWritten)];
}

/** What deciding and reserving one call costs, beside a function written by hand for the one contract. */
export const decision = {
  title: "One decision: decide and reserve",
  figures: ["decision_vs_handwritten", "propose_vs_handwritten_async", "block_vs_handwritten"],
  run(progress) {
    progress("the guard and a hand-written function, taking turns");
    const artifact = scenarioArtifact();
    const measured = runTask("decision", { artifact });
    const collected = { guard: runTask("collection", { artifact }), handWritten: runTask("collection", {}) };
    const awaited = runTask("propose", { artifact });
    const { allowed, mixed } = measured;
    return {
      figures: {
        decision_vs_handwritten: figure(allowed.guard / allowed.handWritten, "ratio", { atMost: 1.8 }),
        propose_vs_handwritten_async: figure(awaited.guard / awaited.handWritten, "ratio", { atMost: 2 }),
        block_vs_handwritten: figure(mixed.guard / mixed.handWritten, "ratio", { atMost: 4 }),
      },
      table: {
        columns: ["traffic", "guard ns", "hand-written ns", "ratio"],
        rows: [
          row("A: all allowed", allowed),
          row("A, arguments copied before", measured.copying),
          row("A, deciding only", measured.judging),
          row("B: 8 of 9 blocked", mixed),
          row("A, garbage collection", collected),
          row("A, awaited guard.propose", awaited),
          row("A, the same, hand-written: spread", { ...awaited, handWritten: awaited.handWrittenSpread }),
        ],
      },
    };
  },
};
