import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

/**
 * Most tests here are of functions without a state of their own, so their files share processes: importing the sources
 * again for each file would take a third of their processor time.
 */
const SHARED = [
  "analysis",
  "audit",
  "checks",
  "cli",
  "docs",
  "golden",
  "guard",
  "hostile",
  "init",
  "packs",
  "property",
  "replay",
  "report",
  "rules.test.ts",
  "sessions",
  "unit",
  "workflow",
];
/** They replace modules or functions of the platform, or read what the engine made of the code: each has its own process. */
const ALONE: ReadonlySet<string> = new Set([
  "cli/read-race.test.ts",
  "guard/events.test.ts",
  "guard/property-tables.test.ts",
  "guard/wrap.test.ts",
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
    // By default one core stays idle, which is half of a machine with two.
    maxWorkers: "100%",
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
