import { quoted } from "../../../diagnostics/wording.js";
import { argumentDemands } from "../../facts/argument-demands.js";
import { isPossible } from "../../facts/possible-values.js";
import { spelling, type WrittenDemand } from "../../facts/written-demands.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly path: string;
  readonly demand: WrittenDemand;
  /** The one that it contradicts; undefined where only several together leave no value. */
  readonly other: WrittenDemand | undefined;
}

/** Finding the contradiction among more demands would take too long. */
const MOST_OTHERS = 100;

/** The first demand that leaves no value together with those before it. */
function firstConflict(demands: readonly WrittenDemand[]): number {
  let [low, high] = [0, demands.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isPossible(demands.slice(0, middle + 1))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Checks that contradict each other refuse every call. */
export const conflictingInvariants = defineRule<Params>({
  code: "conflicting_invariants",
  stage: "graph",
  severity: "warning",
  what: "No value of an argument satisfies everything that is demanded of it.",
  why: "Every call of the tool is refused, whatever its arguments are.",
  fix: "Change or drop one of the demands, so that some value satisfies them all.",
  message: ({ path, demand, other }) =>
    other === undefined
      ? `no value of ${quoted(path)} satisfies ${quoted(spelling(demand))} and everything else that is demanded of it`
      : `no value of ${quoted(path)} satisfies both ${quoted(spelling(other))} and ${quoted(spelling(demand))}`,
  help: () => "change or drop one of the demands",
  related: ({ other }) =>
    other === undefined ? [] : [{ span: other.span, message: `${quoted(spelling(other))} is demanded here` }],
  check(context, report) {
    for (const tool of context.tools) {
      for (const [path, demands] of argumentDemands(context, tool)) {
        if (isPossible(demands)) continue;
        const at = firstConflict(demands);
        const demand = demands[at];
        if (demand === undefined) continue;
        const other = demands.slice(0, Math.min(at, MOST_OTHERS)).find((earlier) => !isPossible([earlier, demand]));
        report(demand.span, { path, demand, other }, tool.name);
      }
    }
  },
});
