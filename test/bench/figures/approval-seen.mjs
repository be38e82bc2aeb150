import { runTask } from "../child.mjs";
import { NO_POSTGRES, withPostgres } from "../durable/postgres.mjs";
import { figure, rounded, skippedFigure } from "../measure.mjs";
import { askingArtifact } from "../scenario/artifact.mjs";

const GOALS = { postgres: { atMost: 20 }, sqlite: { atMost: 300 } };

/** How soon a call is sent that waits for an approval, after another process recorded it. */
export const approvalSeen = {
  title: "From an approval in another process to the waiting call",
  figures: ["approval_seen_ms", "approval_seen_ms_sqlite"],
  async run(progress) {
    progress("calls that another process approves");
    const { postgres, sqlite } = await withPostgres((server) =>
      runTask("approval", { server, artifact: askingArtifact() }),
    );
    const row = (name, { p50, p95, askedP95 }) => [name, ...[p50, p95, askedP95].map(rounded)];
    return {
      figures: {
        approval_seen_ms:
          postgres === null
            ? skippedFigure("ms", GOALS.postgres, NO_POSTGRES)
            : figure(postgres.p95, "ms", GOALS.postgres),
        approval_seen_ms_sqlite: figure(sqlite.p95, "ms", GOALS.sqlite),
      },
      table: {
        columns: ["store", "p50 ms", "p95 ms", "p95 ms, with recording it"],
        rows: [row("sqlite", sqlite), ...(postgres === null ? [] : [row("postgres", postgres)])],
      },
    };
  },
};
