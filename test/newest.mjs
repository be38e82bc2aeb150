/**
 * `npm run test:newest`: the tests of adapters with the newest majors of their SDKs, which need a newer Node than the package does. Both
 * are installed into a folder that Git ignores; what cannot be installed is listed as skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedIn, nodeBinary } from "./support/installed.mjs";

const LINE = "24";
/** An SDK, the modules of the packages that come with it, and the tests that use it. */
const SDKS = [
  { name: "openai", major: "7", modules: { openai: "index.mjs" }, tests: ["test/adapters/openai"] },
  {
    name: "ai",
    major: "7",
    beside: ["@ai-sdk/openai@4"],
    modules: { ai: "dist/index.js", "@ai-sdk/openai": "dist/index.js" },
    tests: ["test/adapters/ai"],
  },
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function versionIn(folder, name) {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

function testWith({ name, major, beside = [], modules, tests }, node) {
  const packages = [`${name}@${major}`, ...beside];
  const folder = installedIn(`newest/${name}-${major}`, packages, (at) => versionIn(at, name) !== null);
  const version = versionIn(folder, name);
  const title = `${name} ${version ?? major} on Node ${node?.version ?? LINE}`;
  if (version === null || node === null) return { title, result: "skipped: it cannot be installed" };
  console.log(`\n${title}`);
  const env = {
    ...process.env,
    PATH: `${dirname(node.binary)}${delimiter}${process.env.PATH}`,
    NEWEST_MODULES: JSON.stringify(
      Object.entries(modules).map(([each, file]) => [each, join(folder, "node_modules", each, file)]),
    ),
  };
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--config", ".ci/newest.config.ts"];
  const { status } = spawnSync(node.binary, [...vitest, ...tests], { cwd: ROOT, stdio: "inherit", env });
  return { title, result: status === 0 ? "passed" : "FAILED" };
}

const node = nodeBinary(LINE);
const results = SDKS.map((sdk) => testWith(sdk, node));
console.log("");
for (const { title, result } of results) console.log(`  ${title}  ${result}`);
process.exit(results.some(({ result }) => result === "FAILED") ? 1 : 0);
