import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

/**
 * Most tests here are of functions without a state of their own, so their files share processes: importing the sources
 * again for each file would take a third of their processor time.
 */
const SHARED = [
  "adapters",
  "analysis",
  "audit",
  "checks",
  "cli",
  "differential",
  "docs",
  "durable",
  "golden",
  "guard",
  "hostile",
  "init",
  "packs",
  "pipelines",
  "property",
  "reference",
  "replay",
  "report",
  "rules.test.ts",
  "sessions",
  "stores",
  "unit",
  "workflow",
];
/** They replace modules or functions of the platform, or read what the engine made of the code: each has its own process. */
const ALONE: ReadonlySet<string> = new Set([
  "cli/read-race.test.ts",
  "durable/postgres-stops.test.ts",
  "guard/events.test.ts",
  "guard/property-tables.test.ts",
  "guard/wrap.test.ts",
  "pipelines/code-mode.test.ts",
  "pipelines/dispatch-inbound.test.ts",
  "pipelines/dispatch-reply.test.ts",
  "pipelines/dispatch-run.test.ts",
  "pipelines/faults.test.ts",
  "pipelines/proxy-limits.test.ts",
  "pipelines/proxy-retry.test.ts",
  "pipelines/throttle.test.ts",
  "pipelines/workflow.test.ts",
  "stores/postgres-faults.test.ts",
  "unit/guard/hidden-classes.test.ts",
]);

const shared = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".test.ts") && SHARED.includes(file.split("/")[0] ?? "") && !ALONE.has(file))
  .map((file) => `test/${file}`);

export default defineConfig({
  root,
  // Threads of a store run what was built: Node cannot run the sources.
  resolve: { alias: [{ find: /^\.\/worker-url\.js$/, replacement: `${root}dist/stores/sqlite/worker-url.js` }] },
  test: {
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Some tests mostly wait, for servers and for time limits: a third process uses what they leave of two cores.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "shared", include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...shared],
        },
      },
    ],
  },
});
