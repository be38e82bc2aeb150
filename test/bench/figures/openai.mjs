import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** What the guard adds to the client of OpenAI. */
export const openai = {
  title: "A call of `runTools` and its request: guarded beside the SDK alone",
  figures: ["openai_overhead_us"],
  run(progress) {
    progress("runs of the SDK that take turns, against a server on this machine");
    const { bare, guarded } = runTask("openai", { artifact: scenarioArtifact() });
    return {
      figures: { openai_overhead_us: figure(guarded - bare, "us", { atMost: 100 }) },
      table: {
        columns: ["client", "µs of the processor per call"],
        rows: [
          ["the SDK alone", rounded(bare)],
          ["guarded", rounded(guarded)],
        ],
      },
    };
  },
};
