import { onTestFinished } from "vitest";
import { runSql } from "./postgres-server.js";

async function sharedServer(): Promise<string | null> {
  const { CONTRACTS_TEST_POSTGRES, POSTGRES_BROKER_PORT } = process.env;
  if (CONTRACTS_TEST_POSTGRES !== undefined) return CONTRACTS_TEST_POSTGRES;
  const response = await fetch(`http://127.0.0.1:${POSTGRES_BROKER_PORT}`);
  if (!response.ok) throw new Error(`no PostgreSQL could be started: ${await response.text()}`);
  const { url }: { url: string | null } = JSON.parse(await response.text());
  return url;
}

/** The server that all tests share: the one of CONTRACTS_TEST_POSTGRES, or one that is started. Null where there is none. */
export const POSTGRES = await sharedServer();

/** Follows the name of tests that are skipped. */
export const POSTGRES_MISSING =
  POSTGRES === null ? " (skipped: no PostgreSQL; set CONTRACTS_TEST_POSTGRES, or install Debian's postgresql)" : "";

let count = 0;

/** A schema on a server, which is dropped when the test is over; `settings` hold for every connection of the URL. */
export async function newSchema(settings: readonly string[] = [], server = POSTGRES): Promise<string> {
  if (server === null) throw new Error("there is no PostgreSQL");
  count += 1;
  const name = `contract_guard_${process.pid}_${count}`;
  await runSql(server, `create schema ${name}`);
  onTestFinished(async () => {
    await runSql(server, "set client_min_messages = warning", `drop schema ${name} cascade`);
  });
  const url = new URL(server);
  url.searchParams.set("options", [`search_path=${name}`, ...settings].map((one) => `-c ${one}`).join(" "));
  return url.href;
}
