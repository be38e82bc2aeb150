/** `npm run fuzz -- --cases N [--seed S]`: compares the guard with the reference on N generated decisions. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1e6) },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (/^[1-9][0-9]*$/.test(value)) continue;
  console.error(`--${name} takes a whole number, not ${value}`);
  process.exit(2);
}
console.log(`seed ${values.seed}, ${values.cases} decisions`);
const env = { ...process.env, DIFFERENTIAL_SEED: values.seed, DIFFERENTIAL_DECISIONS: values.cases };
const args = ["run", "--config", ".ci/vitest.config.ts", "test/differential/differential.test.ts"];
const { status } = spawnSync("node_modules/.bin/vitest", args, { stdio: "inherit", env });
if (status !== 0) {
  console.error(`failed with seed ${values.seed}: npm run fuzz -- --cases ${values.cases} --seed ${values.seed}`);
}
process.exit(status ?? 3);
