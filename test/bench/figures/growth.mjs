import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

const FEW = 10;
const MANY = 2000;

function row(name, time, first) {
  return [name, rounded(time), rounded(time / first)];
}

/** Whether a decision costs more in a long session, or under a large pack. */
export const growth = {
  title: "One decision in long sessions and under large packs, traffic A",
  figures: ["history_100k_vs_10", "indeterminate_30000_vs_0", "tools_2000_vs_10", "tools_2000_rotating"],
  run(progress) {
    progress(`compiling packs of ${FEW} and ${MANY} tools`);
    const packs = [FEW, MANY].map((tools) => ({ tools, artifact: scenarioArtifact(tools) }));
    progress("long sessions, large packs");
    const { history, indeterminate, tools, spread } = runTask("growth", { few: packs[0], many: packs[1] });
    return {
      figures: {
        history_100k_vs_10: figure(history.hundredThousand / history.ten, "ratio", { atMost: 1.2 }),
        indeterminate_30000_vs_0: figure(indeterminate.many / indeterminate.none, "ratio", { atMost: 2 }),
        tools_2000_vs_10: figure(tools.many / tools.few, "ratio", { atMost: 1.2 }),
        tools_2000_rotating: figure(spread.many / spread.few, "ratio", { atMost: 2.5 }),
      },
      table: {
        columns: ["session", "ns", "ratio"],
        rows: [
          row("after 10 settled calls", history.ten, history.ten),
          row("after 1,000", history.thousand, history.ten),
          row("after 100,000", history.hundredThousand, history.ten),
          row("with no indeterminate calls", indeterminate.none, indeterminate.none),
          row("with 30,000", indeterminate.many, indeterminate.none),
          row(`${FEW} tools, calls of one`, tools.few, tools.few),
          row(`${MANY} tools, calls of one`, tools.many, tools.few),
          row(`${FEW} tools, calls of ${FEW - 2}`, spread.few, spread.few),
          row(`${MANY} tools, calls of 256`, spread.many, spread.few),
        ],
      },
    };
  },
};
