import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { type CallOrder, callOrder, describeObstacle } from "../../facts/call-order.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { Slot } from "../../rule-context.js";

interface Producer {
  readonly span: Span;
  readonly why: string;
}

interface Params {
  readonly tool: string;
  readonly slot: string;
  readonly producers: readonly Producer[];
}

/** At most this many tools that bind a slot are shown. */
const MOST_SHOWN = 3;

function whyNot(order: CallOrder, producer: NamedTool, tool: NamedTool): string {
  const obstacle = producer === tool ? null : order.obstacle(producer, tool);
  if (obstacle !== null) return describeObstacle(obstacle, producer.name, tool.name);
  return `${quoted(tool.name)} binds it only after its \`ref\` was judged`;
}

function producersFor(order: CallOrder, slots: readonly Slot[], tool: NamedTool): readonly Producer[] {
  return slots
    .slice(0, MOST_SHOWN)
    .map((slot) => ({ span: valueSpan(slot.bind, "name"), why: whyNot(order, slot.tool, tool) }));
}

/** A comparison with a slot that is never set refuses every call. */
export const unsetRef = defineRule<Params>({
  code: "unset_ref",
  stage: "graph",
  severity: "warning",
  what: "A `ref` compares with a slot that no tool can have bound before the call.",
  why: "A `ref` to an unset slot refuses the call, so the tool can never be called.",
  fix: "Bind the slot in a tool that can be called before this one, or remove the `ref`.",
  message: ({ tool, slot }) => `${quoted(tool)} can never be called: ${quoted(slot)} is not bound before`,
  help: () => "bind the slot in a tool that can be called before this one, or remove the `ref`",
  related: ({ producers }) => producers.map(({ span, why }) => ({ span, message: `it is bound here, but ${why}` })),
  check(context, report) {
    const order = callOrder(context);
    const slots = context.slots() ?? new Map<string, readonly Slot[]>();
    const binders = new Map([...slots].map(([name, bound]) => [name, bound.map((slot) => slot.tool)]));
    for (const tool of context.tools) {
      // Other rules report a tool that can never be called.
      if (!order.isCallable(tool)) continue;
      for (const entry of tool.contract.argument_value_invariants ?? []) {
        const { ref } = entry;
        const bound = slots.get(ref ?? "");
        // Tools that wait for each other's slots are not analysed.
        if (ref === undefined || bound === undefined || order.mayFollow(tool, binders.get(ref) ?? [])) continue;
        const producers = producersFor(order, bound, tool);
        report(valueSpan(entry, "ref"), { tool: tool.name, slot: ref, producers }, tool.name);
      }
    }
  },
});
