import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly to: string;
  /** The phases it is valid in that no transition leads on from. */
  readonly from: readonly string[];
  readonly isAll: boolean;
}

/** The guard refuses a call whose next phase no transition leads to, even in phases that the contract lists as valid. */
export const advanceWithoutEdge = defineRule<Params>({
  code: "advance_without_edge",
  stage: "graph",
  severity: "warning",
  what: "A tool advances to a phase that no transition leads to from a phase it is valid in.",
  why: "There the guard refuses every call of it, although its contract lists the phase as valid.",
  fix: "Declare the transition, or remove the phase from `valid_in_phases`.",
  message: ({ tool, to, from, isAll }) =>
    `tool ${quoted(tool)} advances to ${quoted(to)}, which no transition leads to from ${
      isAll ? "any of its phases" : from.map(quoted).join(", ")
    }`,
  help: ({ to, from }) =>
    `add ${quoted(to)} to the transitions of ${quoted(from[0] ?? "")}, or remove ${quoted(from[0] ?? "")} from \`valid_in_phases\``,
  check(context, report) {
    const graph = context.graph();
    const reachable = context.reachablePhases();
    for (const tool of context.tools) {
      const { transitions } = tool.contract;
      const to = transitions?.advances_to;
      if (transitions === undefined || to === undefined) continue;
      const phases = graph.phasesOf(tool).filter((phase) => reachable.has(phase));
      const from = phases.filter((phase) => !graph.hasEdge(phase, to));
      if (from.length === 0) continue;
      const isAll = from.length === phases.length;
      report(valueSpan(transitions, "advances_to"), { tool: tool.name, to, from, isAll }, tool.name);
    }
  },
});
