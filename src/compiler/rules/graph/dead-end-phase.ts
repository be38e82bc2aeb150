import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phase: string;
}

/** A session that enters such a phase never ends; phases that lead only to each other are another finding. */
export const deadEndPhase = defineRule<Params>({
  code: "dead_end_phase",
  stage: "graph",
  severity: "warning",
  what: "A phase that is not terminal has no transition to any other phase.",
  why: "A session that gets there can never end.",
  fix: "Add a transition towards a terminal phase, or mark the phase terminal.",
  message: ({ phase }) => `no transition leads out of ${quoted(phase)}, which is not terminal`,
  help: ({ phase }) => `add a transition from ${quoted(phase)}, or mark it \`terminal: true\``,
  check(context, report) {
    const graph = context.graph();
    const reachable = context.reachablePhases();
    for (const phase of context.session?.phases ?? []) {
      const { name, terminal } = phase;
      if (name === undefined || terminal === true || !reachable.has(name)) continue;
      if (graph.isDeadEnd(name)) report(valueSpan(phase, "name"), { phase: name });
    }
  },
});
