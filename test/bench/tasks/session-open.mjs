import { join } from "node:path";
import { openStore } from "../../../dist/stores/open-store.js";
import { storeSessions } from "../durable/long-session.mjs";
import { withSchema } from "../durable/postgres-contestants.mjs";
import { openGuard } from "../durable/session.mjs";
import { withFolder } from "../durable/sqlite-contestants.mjs";
import { medianTurns, timed } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

const SESSIONS = { few: 100, many: 100_000 };
const ROUNDS = { warmUps: 20, turns: 101 };

/** Milliseconds to open a session by how many calls are behind it. */
async function openingTimes(store, artifact) {
  const open = (sessionId) => () =>
    timed(async () => {
      const guard = await openGuard(artifact, store, sessionId);
      if (guard.state().toolCalls < SESSIONS[sessionId]) throw new Error("calls of the session are missing");
    });
  return medianTurns({ few: open("few"), many: open("many") }, ROUNDS);
}

/** The same for a store in a file and, where there is a server, for one on it. */
export function measure({ server, artifact: text }) {
  const artifact = readArtifact(text);
  return withFolder(async (folder) => {
    const sqlite = await openStore(`sqlite:${join(folder, "guard.db")}`, { timeoutMs: 60_000 });
    const compare = async (...others) => {
      const stores = [sqlite, ...others];
      await storeSessions(stores, artifact, SESSIONS);
      const times = {};
      for (const store of stores) times[store.kind] = await openingTimes(store, artifact);
      for (const store of stores) await store.close();
      return times;
    };
    if (server === null) return compare();
    return withSchema(server, async (url) => compare(await openStore(url, { timeoutMs: 60_000 })));
  });
}
