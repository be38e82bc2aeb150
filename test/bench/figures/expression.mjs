import { runTask } from "../child.mjs";
import { figure, middleOf, rounded } from "../measure.mjs";

/** Each comparison is made in so many processes. */
const PROCESSES = 3;

/** What judging a fee rule costs, beside a CEL library that evaluates the same expression. */
export const expression = {
  title: "One expression: a fee by a table",
  figures: ["expression_vs_cel_js"],
  run(progress) {
    progress("the guard and a CEL library, taking turns");
    const runs = Array.from({ length: PROCESSES }, () => runTask("expression", {}));
    const { guard, library } = middleOf(runs, "library", "guard");
    return {
      figures: { expression_vs_cel_js: figure(library / guard, "ratio", { atLeast: 5 }) },
      table: {
        columns: ["judged by", "ns"],
        rows: [
          ["the guard, in all worlds", rounded(guard)],
          ["the library", rounded(library)],
        ],
      },
    };
  },
};
