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
  title: "The most costly patterns, paths and expressions, on the arguments that are worst for them",
  figures: ["worst_pattern_ms", "worst_path_ms", "worst_expression_ms"],
  run(progress) {
    progress("patterns, paths and expressions that cost much");
    const { patterns, paths, expressions } = runTask("cost", {});
    return {
      figures: {
        worst_pattern_ms: figure(worst(patterns), "ms", { below: 50 }),
        worst_path_ms: figure(worst(paths), "ms", { below: 50 }),
        worst_expression_ms: figure(worst(expressions), "ms", { below: 50 }),
      },
      table: {
        columns: ["", "pattern, arguments of about a megabyte, or expression", "ms", "ms, the first time"],
        rows: [
          ...patterns.map((time) => row(time.engine, time)),
          ...paths.map((time) => row("path", time)),
          ...expressions.map((time) => row("expression", time)),
        ],
      },
    };
  },
};
