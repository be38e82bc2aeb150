import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** What the guard adds to an agent of the AI SDK. */
export const ai = {
  title: "A call of an agent of the AI SDK, one per reply: guarded beside bare",
  figures: ["ai_overhead_us"],
  run(progress) {
    progress("agents of the same model, which take turns");
    const { bare, guarded } = runTask("ai", { artifact: scenarioArtifact() });
    return {
      figures: { ai_overhead_us: figure(guarded - bare, "us", { atMost: 100 }) },
      table: {
        columns: ["agent", "µs of the processor per call"],
        rows: [
          ["bare", rounded(bare)],
          ["guarded", rounded(guarded)],
        ],
      },
    };
  },
};
