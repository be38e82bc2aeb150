import { createServer } from "node:http";
import { PostgresServer } from "./postgres-server.js";

let starting: Promise<PostgresServer | null> | undefined;

const broker = createServer(async (_, response) => {
  // Nothing here survives a power cut, and nothing has to.
  starting ??= PostgresServer.create(["fsync=off", "max_connections=200"]);
  try {
    response.end(JSON.stringify({ url: (await starting)?.url ?? null }));
  } catch (cause) {
    response.statusCode = 500;
    response.end(String(cause));
  }
});

/**
 * One server for all tests of a run, started when the first of them asks for it: whoever runs a file that needs none does
 * not wait for it. Tests ask over HTTP, because they run in other processes.
 */
export async function setup(): Promise<void> {
  // Each project of the run calls this; the first one serves all of them.
  if (process.env.POSTGRES_BROKER_PORT !== undefined) return;
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve));
  const address = broker.address();
  if (address !== null && typeof address !== "string") process.env.POSTGRES_BROKER_PORT = String(address.port);
}

export async function teardown(): Promise<void> {
  broker.closeAllConnections();
  broker.close();
  const server = await starting?.catch(() => null);
  await server?.remove();
}
