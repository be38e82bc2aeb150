import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";

const MOST_NAME = 40;

function row(kind, { name, first, later }) {
  return [kind, name.length > MOST_NAME ? `${name.slice(0, MOST_NAME)}…` : name, rounded(later), rounded(first)];
}

function worst(times) {
  return Math.max(...times.map(({ later }) => later));
}

/** What the most costly judgements take before they end or their budget does. */
export const cost = {
  title: "The most costly patterns and paths, on the arguments that are worst for them",
  figures: ["worst_pattern_ms", "worst_path_ms"],
  run(progress) {
    progress("patterns and paths that cost much");
    const { patterns, paths } = runTask("cost", {});
    return {
      figures: {
        worst_pattern_ms: figure(worst(patterns), "ms", { below: 50 }),
        worst_path_ms: figure(worst(paths), "ms", { below: 50 }),
      },
      table: {
        columns: ["", "pattern, or arguments of about a megabyte", "ms", "ms, the first time"],
        rows: [...patterns.map((time) => row(time.engine, time)), ...paths.map((time) => row("path", time))],
      },
    };
  },
};
