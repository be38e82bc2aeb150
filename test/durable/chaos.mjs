/** `npm run chaos -- [--rounds N] [--store sqlite|postgres] [--seed N]`: N rounds of killed workers on each store. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    store: { type: "string" },
  },
});

function refuse(message) {
  console.error(message);
  process.exit(2);
}

for (const name of ["rounds", "seed"]) {
  if (!/^[1-9][0-9]*$/.test(values[name])) refuse(`--${name} takes a whole number from 1 on, not ${values[name]}`);
}
const { rounds, seed, store } = values;
if (store !== undefined && !["sqlite", "postgres"].includes(store))
  refuse(`--store is sqlite or postgres, not ${store}`);

console.log(`seed ${seed}, ${rounds} rounds on ${store ?? "each store"}`);
const env = { ...process.env, CHAOS_SEED: seed, CHAOS_ROUNDS: rounds, ...(store && { CHAOS_STORE: store }) };
const args = ["run", "--config", ".ci/vitest.config.ts", "test/durable/chaos.test.ts"];
const { status } = spawnSync("node_modules/.bin/vitest", args, { stdio: "inherit", env });
const again = ["--rounds", rounds, "--seed", seed, ...(store ? ["--store", store] : [])].join(" ");
if (status !== 0) console.error(`failed with seed ${seed}: npm run chaos -- ${again}`);
process.exit(status ?? 3);
