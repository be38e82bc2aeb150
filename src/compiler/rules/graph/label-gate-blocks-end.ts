import { listed, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { callOrder } from "../../facts/call-order.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly label: string;
  readonly tools: readonly string[];
}

/** At most this many tools that lead to an end are named. */
const MOST_NAMES = 3;

/** The tools that can take a session from an open phase to a terminal one. */
function endingTools(context: RuleContext): ReadonlySet<string> {
  const { moves, terminal } = context.graph();
  const order = callOrder(context);
  const callable = new Set(context.tools.filter((tool) => order.isCallable(tool)).map(({ name }) => name));
  const ending = moves.filter(
    ({ from, to, tool }) => terminal.has(to) && !terminal.has(from) && order.distances.has(from) && callable.has(tool),
  );
  return new Set(ending.map(({ tool }) => tool));
}

/** Labels are never removed, so what a gate denies stays denied. */
export const labelGateBlocksEnd = defineRule<Params>({
  code: "label_gate_blocks_end",
  stage: "graph",
  severity: "warning",
  what: "A label gate denies every tool that leads to a terminal phase.",
  why: "Labels are never removed, so a session that gets the label before its end can never end.",
  fix: "Remove a tool that ends the session from `deny_tools`, or add one that is not denied.",
  message: ({ label, tools }) =>
    `once the label ${quoted(label)} is set, no call leads to a terminal phase: ${
      tools.length > MOST_NAMES ? "all tools that do" : listed(tools, "and")
    } ${tools.length === 1 ? "is" : "are"} denied`,
  help: () => "remove a tool that ends the session from `deny_tools`, or add one that is not denied",
  check(context, report) {
    const { initial, terminal } = context.graph();
    // A session that starts in a terminal phase has already reached one.
    if (initial === null || terminal.has(initial)) return;
    const ending = [...endingTools(context)];
    if (ending.length === 0) return;
    for (const gate of context.session?.policy?.label_gates ?? []) {
      const denied = new Set(gate.deny_tools ?? []);
      if (denied.size < ending.length || !ending.every((tool) => denied.has(tool))) continue;
      report(valueSpan(gate, "when_label"), { label: gate.when_label ?? "", tools: ending });
    }
  },
});
