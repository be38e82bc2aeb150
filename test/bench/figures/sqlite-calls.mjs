import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** Each comparison is made in so many processes. */
const PROCESSES = 3;
const SESSIONS = 16;

/** What a call costs whose verdict and outcome are recorded in a file. */
export const sqliteCalls = {
  title: "A call on SQLite, proposed and settled",
  figures: ["sqlite_guard_vs_bare", "sqlite_group_16"],
  run(progress) {
    progress("the guard, its transactions alone, and sixteen guards at once, taking turns");
    const artifact = scenarioArtifact();
    const runs = Array.from({ length: PROCESSES }, () => runTask("sqlite-calls", { artifact }));
    const alone = middleOf(
      runs.map((run) => run.alone),
      "guard",
      "bare",
    );
    const group = middleOf(
      runs.map((run) => run.group),
      "guard",
      "sixteen",
    );
    const row = (name, sessions, ms) => [name, rounded(ms), Math.round((sessions * 1000) / ms)];
    return {
      figures: {
        sqlite_guard_vs_bare: figure(alone.guard / alone.bare, "ratio", { atMost: 1.6 }),
        sqlite_group_16: figure((SESSIONS * group.guard) / group.sixteen, "times", { atLeast: 5 }),
      },
      table: {
        columns: ["", "ms a call", "calls a second"],
        rows: [
          row("its transactions alone, in the thread of the guard", 1, alone.inProcess),
          row("its transactions alone, in another thread", 1, alone.bare),
          row("one guard", 1, alone.guard),
          row("one guard, without a pause", 1, group.guard),
          row("sixteen guards at once", SESSIONS, group.sixteen),
        ],
      },
    };
  },
};
