import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** Each comparison is made in so many processes. */
const PROCESSES = 3;

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
    const runs = Array.from({ length: PROCESSES }, () => runTask("decision", { artifact }));
    const [allowed, copying, judging, mixed] = ["allowed", "copying", "judging", "mixed"].map((work) =>
      middleOf(
        runs.map((run) => run[work]),
        "guard",
        "handWritten",
      ),
    );
    const collected = { guard: runTask("collection", { artifact }), handWritten: runTask("collection", {}) };
    const proposed = Array.from({ length: PROCESSES }, () => runTask("propose", { artifact }));
    const awaited = middleOf(proposed, "guard", "handWritten");
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
          row("A, arguments copied before", copying),
          row("A, deciding only", judging),
          row("B: 8 of 9 blocked", mixed),
          row("A, garbage collection", collected),
          row("A, awaited guard.propose", awaited),
          row("A, the same, hand-written: spread", { ...awaited, handWritten: awaited.handWrittenSpread }),
        ],
      },
    };
  },
};
