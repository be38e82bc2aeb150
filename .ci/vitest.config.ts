import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = new URL("..", import.meta.url).pathname;

// Every process that starts would read the certificates that this names, which takes longer than the rest of its start. No test asks another machine.
delete process.env.NODE_EXTRA_CA_CERTS;

/**
 * Most tests here are of functions without a state of their own, so their files share processes: importing the sources
 * again for each file would take a third of their processor time.
 */
const SHARED = [
  "adapters",
  "analysis",
  "architecture",
  "audit",
  "bench",
  "checks",
  "cli",
  "differential",
  "docs",
  "domain",
  "durable",
  "fuzz",
  "golden",
  "guard",
  "hostile",
  "init",
  "otel",
  "package",
  "packs",
  "pipelines",
  "property",
  "reference",
  "replay",
  "report",
  "rules.test.ts",
  "sessions",
  "simulation",
  "stores",
  "unit",
  "workflow",
  "workflow-reference",
];
/** They replace modules or functions of the platform, or read what the engine made of the code: each has its own process. */
const ALONE: ReadonlySet<string> = new Set([
  "architecture/artifact-fields.test.ts",
  "cli/read-race.test.ts",
  "domain/z3.test.ts",
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

/** These take longest. They start first, so that at the end no process is left with one of them while the others have none. */
const LONGEST = [
  "durable/chaos.test.ts",
  "durable/pruning.test.ts",
  "durable/crash-points.test.ts",
  "simulation/simulation.test.ts",
  "adapters/mcp/serve.test.ts",
  "adapters/mcp/command.test.ts",
  "report/browser.test.ts",
  "docs/code-examples.test.ts",
  "durable/postgres-disk.test.ts",
  "golden/example-mutation.test.ts",
  "simulation/workflow.test.ts",
  "stores/conformance.test.ts",
  "audit/command.test.ts",
  "durable/sqlite-files.test.ts",
  "analysis/weakenings.test.ts",
  "analysis/expression-packs.test.ts",
  "differential/differential.test.ts",
  "audit/tampering.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}`));
      return place === -1 ? LONGEST.length : place;
    };
    // The processes change from one project to the other once.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((one, other) => placeOf(one) - placeOf(other)),
    );
  }
}

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
    sequence: { sequencer: LongestFirst },
    // Most of what tests allocate is soon gone, and no processor is idle that could collect beside them: a tenth less time.
    execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
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
