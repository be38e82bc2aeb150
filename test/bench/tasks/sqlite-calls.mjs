import { join } from "node:path";
import { warmUp } from "../durable/session.mjs";
import { bareOnSqlite, guardsOnSqlite, withFolder } from "../durable/sqlite-contestants.mjs";
import { CALL_BY_CALL, LONG_TURNS, medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

const SESSIONS = 16;

/** Opens contestants, lets them take turns, and closes them. */
async function compare(opening, rounds) {
  const contestants = {};
  for (const [name, open] of Object.entries(opening)) contestants[name] = await open(rounds.count);
  const turns = Object.fromEntries(Object.entries(contestants).map(([name, { turn }]) => [name, turn]));
  try {
    return await medianTurns(turns, rounds);
  } finally {
    for (const { close } of Object.values(contestants)) await close();
  }
}

/**
 * Milliseconds of a call on SQLite: `alone` by one guard, and of its transactions by a thread and in process; `group` by one
 * guard, and by each of sixteen at once.
 */
export function measure({ artifact: text }) {
  const artifact = readArtifact(text);
  return withFolder(async (folder) => {
    await warmUp(artifact);
    const guards = (sessions) => (count) =>
      guardsOnSqlite(join(folder, `${sessions}-${count}.db`), artifact, { sessions, count });
    const bare = (place) => (count) => bareOnSqlite(join(folder, `${place}.db`), artifact, { place, count });
    return {
      alone: await compare({ guard: guards(1), bare: bare("thread"), inProcess: bare("process") }, CALL_BY_CALL),
      group: await compare({ guard: guards(1), sixteen: guards(SESSIONS) }, LONG_TURNS),
    };
  });
}
