import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly phases: readonly string[];
}

/** A tool bound only to unreachable phases can never be called, so its contract protects nothing. */
export const deadTool = defineRule<Params>({
  code: "dead_tool",
  stage: "graph",
  severity: "warning",
  what: "A tool is only valid in phases that are never reached.",
  why: "It can never be called, so its task cannot be done and its contract protects nothing.",
  fix: "Add a transition that leads to one of its phases, or drop the contract.",
  message: ({ tool, phases }) =>
    `tool ${quoted(tool)} is only valid in unreachable phases: ${phases.map(quoted).join(", ")}`,
  help: ({ phases }) => `add a transition that leads to ${quoted(phases[0] ?? "")}, or drop the contract`,
  check(context, report) {
    const reachable = context.reachablePhases();
    for (const { name, contract } of context.tools) {
      const phases = contract.transitions?.valid_in_phases;
      // No phase list means "every phase", and the initial phase is always reachable.
      if (phases === undefined || phases.some((phase) => reachable.has(phase))) continue;
      report(valueSpan(contract, "tool"), { tool: name, phases }, name);
    }
  },
});
