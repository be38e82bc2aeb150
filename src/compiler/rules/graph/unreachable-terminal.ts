import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phase: string;
}

/** A terminal phase that no session reaches was meant for something. */
export const unreachableTerminal = defineRule<Params>({
  code: "unreachable_terminal",
  stage: "graph",
  severity: "warning",
  what: "A terminal phase cannot be reached from the initial phase.",
  why: "No session ever ends there, so what was planned for that end never happens.",
  fix: "Add a transition that leads to it, or remove the phase.",
  message: ({ phase }) => `no transition leads from the initial phase to the terminal phase ${quoted(phase)}`,
  help: ({ phase }) => `add ${quoted(phase)} to the \`transitions\` of a reachable phase, or remove it`,
  check(context, report) {
    const reachable = context.reachablePhases();
    for (const phase of context.session?.phases ?? []) {
      if (phase.name === undefined || phase.terminal !== true || reachable.has(phase.name)) continue;
      report(valueSpan(phase, "name"), { phase: phase.name });
    }
  },
});
