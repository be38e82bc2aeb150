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
  // Sessions of workflows, for operators; commands come with them anyway.
  seats: ["workflow/log/open-coordinator", "workflow/log/open-seat"],
};
const OF_COMMANDS = { seats: "operating" };

/** Lets a module that is loaded on demand come with its group; one without a group comes alone. */
export function lazyGroups(src, { isCommandLine = false } = {}) {
  const joined = isCommandLine ? OF_COMMANDS : {};
  const modulesOf = (group) => [
    ...GROUPS[group],
    ...Object.keys(joined).flatMap((name) => (joined[name] === group ? GROUPS[name] : [])),
  ];
  return {
    name: "lazy-groups",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return null;
        const module = relative(src, join(resolveDir, path)).replace(/\.js$/, "");
        const group = Object.keys(GROUPS).find((name) => GROUPS[name].includes(module));
        return group === undefined ? null : { path: joined[group] ?? group, namespace: "group" };
      });
      build.onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        contents: modulesOf(path)
          .map((module) => `export * from "./${module}.js";`)
          .join("\n"),
        resolveDir: src,
      }));
    },
  };
}
