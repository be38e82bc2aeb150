import { runTask } from "../child.mjs";
import { NO_POSTGRES, withPostgres } from "../durable/postgres.mjs";
import { installPeers } from "../install-peers.mjs";
import { figure, middleOf, rounded, skippedFigure } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** Each comparison is made in so many processes. */
const PROCESSES = 3;

/** The peer uses its driver in a way that the driver warns of. */
const FLAGS = ["--no-deprecation"];

const COMPARISONS = [
  { name: "pg_guard_vs_cas", other: "bare", shown: "its two statements alone", goal: { atMost: 1.25 } },
  {
    ...{ name: "pg_guarded_call_vs_dbos_step", other: "step", needsPeers: true },
    ...{ shown: "@dbos-inc/dbos-sdk, a recorded step", goal: { atMost: 1.5 } },
  },
];
/** For the table only: how much one process does. */
const SEVERAL = { name: null, other: "sixteen", shown: "sixteen guards at once, a call of each", goal: { atMost: 1 } };

function compare({ name, other, shown, goal }, input) {
  try {
    const runs = Array.from({ length: PROCESSES }, () =>
      runTask("postgres-calls", { ...input, other }, { flags: FLAGS }),
    );
    const times = middleOf(runs, "guard", other);
    const ratio = times.guard / times[other];
    return {
      name,
      value: figure(ratio, "ratio", goal),
      row: [shown, ...[times.guard, times[other], ratio].map(rounded)],
    };
  } catch (cause) {
    return skipped({ name, shown, goal }, cause.message);
  }
}

function skipped({ name, shown, goal }, reason) {
  return { name, value: skippedFigure("ratio", goal, reason), row: [shown, ..."---"] };
}

/** What a call costs whose verdict and outcome are recorded on a server. */
export const postgresCalls = {
  title: "A call on PostgreSQL, proposed and settled",
  figures: COMPARISONS.map(({ name }) => name),
  async run(progress) {
    const failure = installPeers(progress);
    const artifact = scenarioArtifact();
    const measured = await withPostgres((server) =>
      [...COMPARISONS, SEVERAL].map((comparison) => {
        const reason = server === null ? NO_POSTGRES : comparison.needsPeers ? failure : null;
        if (reason !== null) return skipped(comparison, reason);
        progress(`the guard and ${comparison.shown}, taking turns`);
        return compare(comparison, { server, artifact });
      }),
    );
    return {
      figures: Object.fromEntries(measured.flatMap(({ name, value }) => (name === null ? [] : [[name, value]]))),
      table: { columns: ["against", "guard ms", "ms", "ratio"], rows: measured.map(({ row }) => row) },
    };
  },
};
