import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Why figures that need a server are skipped. */
export const NO_POSTGRES =
  "no PostgreSQL could be started; set CONTRACTS_TEST_POSTGRES, or install Debian's postgresql";

/**
 * Gives the URL of a PostgreSQL server that waits for its disk: the one of CONTRACTS_TEST_POSTGRES, or one that is started as the
 * tests start theirs and ends with `use`. Null where this machine has none. The source of the tests needs Vite to be loaded.
 */
export async function withPostgres(use) {
  const { CONTRACTS_TEST_POSTGRES: given } = process.env;
  if (given !== undefined) return use(given);
  const { module } = await runnerImport("./test/support/postgres-server.ts", {
    root: ROOT,
    configFile: false,
    logLevel: "silent",
  });
  const server = await module.PostgresServer.create();
  try {
    return await use(server?.url ?? null);
  } finally {
    await server?.remove();
  }
}
