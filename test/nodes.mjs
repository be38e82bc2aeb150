/**
 * `npm run test:nodes [-- --one] [LINE...]`: runs the fast part of the tests on every supported line of Node, on the given
 * ones, or on the one whose turn it is: `--one`, for CI, leaves out the line that runs `npm test` there. The npm package
 * `node` brings the binaries, into a folder that Git ignores. A line that cannot be installed is skipped, and listed as
 * such. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nodeBinary } from "./support/installed.mjs";

const LINES = ["20", "22", "24", "26"];
/** About two minutes: the guard, the command line, the package, stores and the platform kit, but neither load nor long random tests. */
const FAST = [
  "test/checks",
  "test/cli",
  "test/guard",
  "test/package",
  "test/pipelines/dispatch",
  "test/pipelines/proxy",
  "test/pipelines/response",
  "test/rules.test.ts",
  "test/stores",
  "test/unit",
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DAY = 24 * 60 * 60 * 1000;

function optionsOf(args) {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { one: { type: "boolean" } } });
    const unknown = positionals.find((line) => !LINES.includes(line));
    if (unknown !== undefined) throw new Error(`no supported line of Node is ${unknown}; known: ${LINES.join(", ")}`);
    if (values.one && positionals.length > 0) throw new Error("--one takes the line whose turn it is; give no others");
    return { isOne: values.one ?? false, given: positionals };
  } catch (cause) {
    console.error(cause.message);
    process.exit(2);
  }
}

/** The line whose turn it is. */
function oneLine() {
  const others = LINES.filter((line) => !process.version.startsWith(`v${line}.`));
  return others[turn() % others.length];
}

/** Changes with every commit, or with the day where there is no history. */
function turn() {
  const { status, stdout } = spawnSync("git", ["rev-list", "--count", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? Number(stdout) : Math.floor(Date.now() / DAY);
}

function testOn(line) {
  const found = nodeBinary(line);
  if (found === null) return { line, version: "-", result: "skipped: it cannot be installed", seconds: 0 };
  const { binary, version } = found;
  console.log(`\nNode ${version}`);
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--config", ".ci/vitest.config.ts"];
  const start = Date.now();
  const { status } = spawnSync(binary, [...vitest, ...FAST], { cwd: ROOT, stdio: "inherit", env });
  const result = status === 0 ? "passed" : "FAILED";
  return { line, version, result, seconds: Math.round((Date.now() - start) / 1000) };
}

const { isOne, given } = optionsOf(process.argv.slice(2));
const lines = isOne ? [oneLine()] : given.length > 0 ? given : LINES;
console.log(`lines of Node: ${lines.join(", ")}${isOne ? `, whose turn it is among ${LINES.join(", ")}` : ""}`);
const results = lines.map(testOn);
console.log("");
for (const { line, version, result, seconds } of results) {
  console.log(`  Node ${line}  ${version.padEnd(9)}  ${String(seconds).padStart(4)} s  ${result}`);
}
process.exit(results.some(({ result }) => result === "FAILED") ? 1 : 0);
