import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phase: string;
}

/** If no tool takes a declared transition, the phase behind it is never entered. */
export const unenteredPhase = defineRule<Params>({
  code: "unentered_phase",
  stage: "graph",
  severity: "warning",
  what: "Transitions lead to a phase, but no tool that can be called advances to it.",
  why: "Only calls change the phase, so this one is never entered and nothing that is bound to it ever applies.",
  fix: "Let a tool advance to it from a phase that is entered, or remove the phase.",
  message: ({ phase }) => `no call ever leads to ${quoted(phase)}`,
  help: ({ phase }) => `give a tool \`advances_to: ${phase}\`, valid in a phase that leads there, or remove the phase`,
  check(context, report) {
    const graph = context.graph();
    const reachable = context.reachablePhases();
    const entered = graph.entered();
    for (const phase of context.session?.phases ?? []) {
      if (phase.name === undefined || !reachable.has(phase.name) || entered.has(phase.name)) continue;
      report(valueSpan(phase, "name"), { phase: phase.name });
    }
  },
});
