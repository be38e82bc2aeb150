import { DBOS } from "@dbos-inc/dbos-sdk";

const SILENT = { info() {}, debug() {}, warn() {}, error: (entry) => process.stderr.write(`${String(entry)}\n`) };

/**
 * Milliseconds of one recorded step that returns the output of a tool. Each turn is a workflow of so many steps: beginning and ending
 * it is not timed.
 */
export async function stepsOnPostgres(url, output, count) {
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logger: SILENT });
  const steps = DBOS.registerWorkflow(
    async () => {
      const start = performance.now();
      for (let at = 0; at < count; at++) await DBOS.runStep(async () => output, { name: "tool" });
      return (performance.now() - start) / count;
    },
    { name: "steps" },
  );
  await DBOS.launch();
  return { turn: () => steps(), close: () => DBOS.shutdown() };
}
