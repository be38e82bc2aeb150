import { fileURLToPath } from "node:url";
import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";

const PACK = fileURLToPath(new URL("../../../contracts/trading", import.meta.url));
const PROCESSES = 3;

/** What deciding recorded sessions costs, beside parsing their file. */
export const replay = {
  title: "Recorded sessions decided again",
  figures: ["replay_vs_parse"],
  run(progress) {
    progress("parsing and replaying one file, taking turns");
    const runs = Array.from({ length: PROCESSES }, () => runTask("replay", { pack: PACK }));
    const { parse, replay: replayed, calls } = middleOf(runs, "replay", "parse");
    return {
      figures: { replay_vs_parse: figure(replayed / parse, "ratio", { atMost: 3 }) },
      table: {
        columns: ["task", "µs a call"],
        rows: [
          ["parse", rounded((1000 * parse) / calls)],
          ["replay", rounded((1000 * replayed) / calls)],
        ],
      },
    };
  },
};
