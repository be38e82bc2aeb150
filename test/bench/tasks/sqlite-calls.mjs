import { join } from "node:path";
import { warmUp } from "../durable/session.mjs";
import { bareOnSqlite, guardsOnSqlite, withFolder } from "../durable/sqlite-contestants.mjs";
import { medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

/** Calls of each session in one turn. */
const COUNT = 16;
const SESSIONS = 16;
const ROUNDS = { warmUps: 12, turns: 61 };

/** Milliseconds of a call on SQLite by one guard, by each of sixteen at once, and of its transactions alone. */
export function measure({ artifact: text }) {
  const artifact = readArtifact(text);
  return withFolder(async (folder) => {
    await warmUp(artifact);
    const contestants = {
      guard: await guardsOnSqlite(join(folder, "one.db"), artifact, { sessions: 1, count: COUNT }),
      bare: await bareOnSqlite(join(folder, "bare.db"), artifact, COUNT),
      sixteen: await guardsOnSqlite(join(folder, "many.db"), artifact, { sessions: SESSIONS, count: COUNT }),
    };
    const turns = Object.fromEntries(Object.entries(contestants).map(([name, { turn }]) => [name, turn]));
    try {
      return await medianTurns(turns, ROUNDS);
    } finally {
      for (const { close } of Object.values(contestants)) await close();
    }
  });
}
