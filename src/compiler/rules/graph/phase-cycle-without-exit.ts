import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phases: readonly string[];
}

/** Phases that lead only to each other trap a session. */
export const phaseCycleWithoutExit = defineRule<Params>({
  code: "phase_cycle_without_exit",
  stage: "graph",
  severity: "warning",
  what: "Phases lead to each other, and no path leads from them to a terminal phase.",
  why: "A session that enters one of them can never leave the cycle.",
  fix: "Add a transition from one of them towards a terminal phase.",
  message: ({ phases }) => `no terminal phase can be reached any more from ${phases.map(quoted).join(", ")}`,
  help: ({ phases }) =>
    `add a transition from one of them, such as ${quoted(phases[0] ?? "")}, towards a terminal phase`,
  check(context, report) {
    const graph = context.graph();
    const reachable = context.reachablePhases();
    const phases = new Map((context.session?.phases ?? []).map((phase) => [phase.name, phase]));
    for (const group of graph.closedGroups()) {
      const [first] = group;
      const phase = phases.get(first);
      // A single phase is a dead end, which is another finding.
      if (group.length < 2 || first === undefined || phase === undefined || !reachable.has(first)) continue;
      if (group.every((name) => !graph.terminal.has(name))) report(valueSpan(phase, "name"), { phases: group });
    }
  },
});
