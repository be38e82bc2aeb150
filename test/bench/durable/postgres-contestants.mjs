import pg from "pg";
import { openStore } from "../../../dist/stores/open-store.js";
import { appendQuery } from "../../../dist/stores/postgres/append-statement.js";
import { allowedCalls } from "../scenario/traffic.mjs";
import { SameAppends } from "./same-appends.mjs";
import { CallCycle, guardsAtWork } from "./session.mjs";
import { timed } from "./turns.mjs";

/** Runs statements on a connection of their own. */
export async function runSql(url, ...statements) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Gives the URL of a schema that is dropped afterwards. */
export async function withSchema(server, use) {
  const name = `contract_guard_bench_${process.pid}`;
  await runSql(server, `create schema ${name}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${name}`);
  try {
    return await use(url.href);
  } finally {
    await runSql(server, "set client_min_messages = warning", `drop schema ${name} cascade`);
  }
}

/** Guards of several sessions of one store, at work at the same time: milliseconds for each call that one of them makes. */
export async function guardsOnPostgres(url, artifact, setting) {
  return guardsAtWork(await openStore(url), artifact, setting);
}

async function sendAll(pool, queries) {
  for (const query of queries) {
    const { rows } = await pool.query(query);
    if (Number(rows[0].streams) !== 1) throw new Error("a bare append was not recorded");
  }
}

/** As the store uses the driver. */
const LIMITS = { max: 10, statement_timeout: 5000, query_timeout: 5500, keepAlive: true };

/**
 * The statements of such calls with their values, ready to be sent: the same texts, prepared under the same names, by the same
 * driver with the same time limits.
 */
export async function bareOnPostgres(url, artifact, count) {
  const store = await openStore(url);
  const appends = await SameAppends.of(artifact, store, "session-b");
  await store.close();
  const pool = new pg.Pool({ connectionString: url, ...LIMITS });
  const cycle = new CallCycle(allowedCalls());
  const turn = async () => {
    const queries = (await appends.of(cycle.take(count))).map(({ appendId, writes }) => {
      const { statement, values } = appendQuery(appendId, writes);
      return { ...statement, values };
    });
    return (await timed(() => sendAll(pool, queries))) / count;
  };
  return { turn, close: () => pool.end() };
}
