import { runTask } from "../child.mjs";
import { withPostgres } from "../durable/postgres.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** Whether opening a session costs more the longer it is. */
export const sessionOpen = {
  title: "Opening a session with 100 and with 100,000 calls behind it",
  figures: ["session_100k_open"],
  async run(progress) {
    progress("making the sessions, and opening them, taking turns");
    const artifact = scenarioArtifact();
    const times = Object.entries(await withPostgres((server) => runTask("session-open", { server, artifact })));
    const worst = Math.max(...times.map(([, { few, many }]) => many / few));
    return {
      figures: { session_100k_open: figure(worst, "ratio", { atMost: 2 }) },
      table: {
        columns: ["store", "100 calls ms", "100,000 calls ms", "ratio"],
        rows: times.map(([kind, { few, many }]) => [kind, ...[few, many, many / few].map(rounded)]),
      },
    };
  },
};
