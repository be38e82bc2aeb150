import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { invariant } from "../../base/invariant.js";
import { loadDriver } from "./driver.js";
import type { Request, Sent, WorkerSetting } from "./messages.js";
import { SqliteServer } from "./server.js";
import { sqliteFailure } from "./sqlite-failure.js";

/** The thread of a sqlite store. */
async function run(setting: WorkerSetting): Promise<void> {
  const port = parentPort;
  invariant(port !== null, "this runs in a thread");
  const send = (message: Sent) => port.postMessage(message);
  let server: SqliteServer;
  try {
    server = new SqliteServer(await loadDriver(), setting);
  } catch (cause) {
    const { code, message } = sqliteFailure(setting.shown, cause);
    send({ kind: "refused", code, message });
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const changes = server.changes();
    if (changes.length > 0) send({ kind: "changed", changes });
  };
  port.on("message", (first: readonly Request[]) => {
    const waiting = [...first];
    // What came meanwhile is done together with it.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      waiting.push(...next.message);
    }
    send({ kind: "replies", replies: server.serve(waiting) });
    if (server.isWatched) timer ??= setInterval(look, setting.pollMs);
    else {
      clearInterval(timer);
      timer = undefined;
    }
    if (waiting.some(({ question }) => question.kind === "close")) port.close();
  });
  const { migrated } = server;
  invariant(migrated !== null, "it is open");
  send({ kind: "opened", migrated });
}

await run(workerData);
