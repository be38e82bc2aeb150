import { join, relative } from "node:path";

/**
 * What is loaded together where the sources load modules on demand. One file a module would split what they share into
 * dozens of small ones.
 */
const GROUPS = {
  // Nearly every pack has golden cases, which are played on the guard.
  checking: [
    "cli/commands/compile",
    "cli/commands/demo",
    "cli/commands/explain",
    "cli/commands/test",
    "golden/play-golden-cases",
  ],
  exploring: [
    "analysis/diff/diff-packs",
    "cli/commands/diff",
    "cli/commands/graph",
    "cli/golden/mutation",
    "cli/golden/render-coverage",
    "cli/golden/render-mutation",
    "cli/verification/findings",
    "cli/verification/summary",
    "cli/verification/verify-packs",
    "cli/write-report",
    "report/sentences",
  ],
  platform: ["cli/commands/check-response", "cli/commands/doctor"],
  operating: [
    "cli/commands/approvals",
    "cli/commands/audit",
    "cli/commands/sessions",
    "cli/commands/store",
    "cli/commands/workflows",
  ],
  // Sessions of workflows, for operators.
  seats: ["workflow/log/open-coordinator", "workflow/log/open-seat"],
};

/** The same for the command line, where whole commands are loaded on demand too. */
const COMMAND_GROUPS = {
  checking: GROUPS.checking,
  exploring: [
    ...GROUPS.exploring,
    "analysis/mutation/scenario-of-trace",
    "analysis/verify",
    "cli/verification/verify-workflow",
    "cli/verification/workflow-findings",
    "cli/verification/workflow-summary",
  ],
  platform: GROUPS.platform,
  operating: [...GROUPS.operating, ...GROUPS.seats],
  replaying: ["cli/commands/replay", "cli/replay/read-mapping", "replay/mapping/mapping"],
  // Without the packages of the protocol the command says what to install: what imports them is loaded by it, and comes alone.
  serving: ["cli/commands/mcp"],
  starting: ["cli/commands/init"],
  guarding: ["guard/durable/open-session"],
};
/** Nearly every command compiles a pack and runs a guard. What that takes is loaded as a whole, in few files. */
const CORE = [
  "artifact/reason-advice",
  "cli/golden/tests-of-pack",
  "cli/package-file",
  "cli/read-source",
  "cli/replay/progress",
  "cli/write-output",
  "golden/play-golden-cases",
  "report/page/generator",
  "report/reason-kinds",
];
const WITHOUT_CORE = new Set(["platform"]);

/** Lets a module that is loaded on demand come with its group; one without a group comes alone. */
export function lazyGroups(src, { isCommandLine = false } = {}) {
  const groups = isCommandLine ? COMMAND_GROUPS : GROUPS;
  const contentsOf = (group) => [
    ...(isCommandLine && !WITHOUT_CORE.has(group) ? CORE.map((module) => `import "./${module}.js";`) : []),
    ...groups[group].map((module) => `export * from "./${module}.js";`),
  ];
  return {
    name: "lazy-groups",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return null;
        const module = relative(src, join(resolveDir, path)).replace(/\.js$/, "");
        const group = Object.keys(groups).find((name) => groups[name].includes(module));
        return group === undefined ? null : { path: group, namespace: "group" };
      });
      build.onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        contents: contentsOf(path).join("\n"),
        resolveDir: src,
      }));
    },
  };
}
