/** `npm run fuzz:workflow -- --operations N [--seed S]`: compares workflows with their reference on N generated operations. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "500000" },
    seed: { type: "string", default: String(1 + (Date.now() % 1e6)) },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (/^[1-9][0-9]*$/.test(value)) continue;
  console.error(`--${name} takes a whole number, not ${value}`);
  process.exit(2);
}
console.log(`seed ${values.seed}, ${values.operations} operations`);
const env = { ...process.env, WORKFLOW_SEED: values.seed, WORKFLOW_OPERATIONS: values.operations };
const args = ["run", "--config", ".ci/vitest.config.ts", "test/workflow-reference/differential.test.ts"];
const { status } = spawnSync("node_modules/.bin/vitest", args, { stdio: "inherit", env });
if (status !== 0) {
  const again = `npm run fuzz:workflow -- --operations ${values.operations} --seed ${values.seed}`;
  console.error(`failed with seed ${values.seed}: ${again}`);
}
process.exit(status ?? 3);
