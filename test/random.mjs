/** `npm run test:random [-- --seed S] [FILE...]`: runs every random test with a fresh seed, which is printed. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const MOST = 2 ** 31 - 1;

function optionsOf(args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { seed: { type: "string" } } });
  } catch (cause) {
    console.error(cause.message);
    process.exit(2);
  }
}

const { values, positionals } = optionsOf(process.argv.slice(2));
const seed = values.seed ?? String(1 + (Date.now() % MOST));
if (!/^[1-9][0-9]{0,9}$/.test(seed) || Number(seed) > MOST) {
  console.error(`--seed takes a whole number from 1 to ${MOST}, not ${seed}`);
  process.exit(2);
}

/** A test is random if it takes a seed, by itself or for fast-check. */
function isRandom(file) {
  return /support\/(seed|fast-check)\.js"/.test(readFileSync(file, "utf8"));
}

const all = readdirSync("test", { recursive: true })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => join("test", file));
const files = positionals.length > 0 ? positionals : all.filter(isRandom);
console.log(`seed ${seed}, ${files.length} files`);
const env = { ...process.env, RANDOM_SEED: seed };
const { status } = spawnSync("node_modules/.bin/vitest", ["run", "--config", ".ci/vitest.config.ts", ...files], {
  stdio: "inherit",
  env,
});
if (status !== 0) console.error(`failed with seed ${seed}: npm run test:random -- --seed ${seed}`);
process.exit(status ?? 3);
