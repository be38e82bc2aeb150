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
    const alone = middleOf(runs, "guard", "bare");
    const group = middleOf(runs, "guard", "sixteen");
    const perSecond = (sessions, ms) => Math.round((sessions * 1000) / ms);
    return {
      figures: {
        sqlite_guard_vs_bare: figure(alone.guard / alone.bare, "ratio", { atMost: 1.6 }),
        sqlite_group_16: figure((SESSIONS * group.guard) / group.sixteen, "times", { atLeast: 5 }),
      },
      table: {
        columns: ["", "ms a call", "calls a second"],
        rows: [
          ["the transactions alone", rounded(alone.bare), perSecond(1, alone.bare)],
          ["one guard", rounded(alone.guard), perSecond(1, alone.guard)],
          ["one guard, beside the sixteen", rounded(group.guard), perSecond(1, group.guard)],
          ["sixteen guards at once", rounded(group.sixteen), perSecond(SESSIONS, group.sixteen)],
        ],
      },
    };
  },
};
