import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

export default defineConfig({
  root,
  // Threads of a store run what was built: Node cannot run the sources.
  resolve: { alias: [{ find: /^\.\/worker-url\.js$/, replacement: `${root}dist/stores/sqlite/worker-url.js` }] },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 30_000,
    // By default one core stays idle, which is half of a machine with two.
    maxWorkers: "100%",
  },
});
