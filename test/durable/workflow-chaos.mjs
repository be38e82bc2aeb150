/** `npm run chaos:workflow -- [--sessions N] [--store sqlite|postgres] [--seed N]`: 4 processes of N sessions on each store. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "50" },
    seed: { type: "string", default: String(1 + (Date.now() % 1e6)) },
    store: { type: "string" },
  },
});

function refuse(message) {
  console.error(message);
  process.exit(2);
}

for (const name of ["sessions", "seed"]) {
  if (!/^[1-9][0-9]*$/.test(values[name])) refuse(`--${name} takes a whole number from 1 on, not ${values[name]}`);
}
const { sessions, seed, store } = values;
if (store !== undefined && !["sqlite", "postgres"].includes(store))
  refuse(`--store is sqlite or postgres, not ${store}`);

console.log(`seed ${seed}, 4 processes of ${sessions} sessions on ${store ?? "each store"}`);
const own = { WORKFLOW_CHAOS_SEED: seed, WORKFLOW_CHAOS_SESSIONS: sessions };
const env = { ...process.env, ...own, ...(store && { CHAOS_STORE: store }) };
const args = ["run", "--config", ".ci/vitest.config.ts", "test/durable/workflow-chaos.test.ts"];
const { status } = spawnSync("node_modules/.bin/vitest", args, { stdio: "inherit", env });
const again = ["--sessions", sessions, "--seed", seed, ...(store ? ["--store", store] : [])].join(" ");
if (status !== 0) console.error(`failed with seed ${seed}: npm run chaos:workflow -- ${again}`);
process.exit(status ?? 3);
