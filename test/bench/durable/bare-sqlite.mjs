import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { MIGRATIONS } from "../../../dist/stores/schema.js";
import { loadDriver } from "../../../dist/stores/sqlite/driver.js";
import { openDatabase } from "../../../dist/stores/sqlite/open-database.js";

/** The statements of an append, as the store has them. */
function statementsOf(connection) {
  return {
    revision: connection.prepare("select revision from contract_guard_streams where stream = ?"),
    head: connection.prepare(
      `insert into contract_guard_streams (stream, revision, head, updated, checksum) values (?, ?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, head = excluded.head, updated = excluded.updated, checksum = excluded.checksum`,
    ),
    record: connection.prepare(
      "insert into contract_guard_records (stream, revision, append_id, data, checksum) values (?, ?, ?, ?, ?)",
    ),
    snapshot: connection.prepare(
      `insert into contract_guard_snapshots (stream, revision, data, checksum) values (?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, data = excluded.data, checksum = excluded.checksum`,
    ),
  };
}

function write(connection, statements, { stream, expectedRevision, head, records, snapshot }) {
  connection.exec("begin immediate");
  if (statements.revision.get(stream)?.revision !== expectedRevision) throw new Error("a bare append does not fit");
  statements.head.run(...head);
  for (const record of records) statements.record.run(...record);
  if (snapshot !== null) statements.snapshot.run(...snapshot);
  connection.exec("commit");
}

/** A database of the store's form, whose appends are written without the store. */
export async function openBare(path) {
  const setting = { path, shown: path, synchronous: "full", timeoutMs: 5000, migrations: MIGRATIONS, mode: "create" };
  const { connection } = openDatabase(await loadDriver(), setting);
  const statements = statementsOf(connection);
  return { write: (rows) => write(connection, statements, rows), close: () => connection.close() };
}

if (!isMainThread) {
  const bare = await openBare(workerData.path);
  parentPort.on("message", (rows) => {
    bare.write(rows);
    parentPort.postMessage("written");
  });
  parentPort.postMessage("open");
}
