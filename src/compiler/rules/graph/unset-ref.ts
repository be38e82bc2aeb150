import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { type CallOrder, callOrder, describeObstacle } from "../../facts/call-order.js";
import { type SlotNeed, slotNeeds } from "../../facts/slot-needs.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { Slot } from "../../rule-context.js";
import { formOf } from "../../slot-forms.js";

interface Producer {
  readonly span: Span;
  readonly why: string;
}

interface Params {
  readonly tool: string;
  readonly slot: string;
  readonly rule: SlotNeed["rule"];
  readonly isPlain: boolean;
  readonly producers: readonly Producer[];
}

/** A tool and the rule of it that reads the slot. */
interface Reader {
  readonly tool: NamedTool;
  readonly rule: SlotNeed["rule"];
}

/** At most this many tools that bind a slot are shown. */
const MOST_SHOWN = 3;

function whyNot(order: CallOrder, producer: NamedTool, { tool, rule }: Reader): string {
  const obstacle = producer === tool ? null : order.obstacle(producer, tool);
  if (obstacle !== null) return describeObstacle(obstacle, producer.name, tool.name);
  return `${quoted(tool.name)} binds it only after its ${quoted(rule)} was judged`;
}

function producersFor(order: CallOrder, slots: readonly Slot[], reader: Reader): readonly Producer[] {
  return slots
    .slice(0, MOST_SHOWN)
    .map((slot) => ({ span: valueSpan(slot.bind, "name"), why: whyNot(order, slot.tool, reader) }));
}

/** A comparison with a slot that is never set refuses every call. */
export const unsetRef = defineRule<Params>({
  code: "unset_ref",
  stage: "graph",
  severity: "warning",
  isError: ({ rule }) => rule === "requires",
  what: "A `ref` or an expression of `requires` needs a slot that no tool can have bound before the call; for an expression this is an error.",
  why: "Both refuse the call as long as the slot is not set, so the tool can never be called.",
  fix: "Bind the slot in a tool that can be called before this one, or remove the rule that reads it.",
  message: ({ tool, slot }) => `${quoted(tool)} can never be called: ${quoted(slot)} is not bound before`,
  help: ({ slot, rule, isPlain }) =>
    rule === "ref"
      ? "bind the slot in a tool that can be called before this one, or remove the `ref`"
      : `bind the slot in a tool that can be called before this one, or say what holds without it: ${quoted(isPlain ? `!has(slots.${slot}) || …` : `!(key in slots.${slot}) || …`)}`,
  related: ({ producers }) => producers.map(({ span, why }) => ({ span, message: `it is bound here, but ${why}` })),
  check(context, report) {
    const order = callOrder(context);
    const slots = context.slots() ?? new Map<string, readonly Slot[]>();
    const binders = new Map([...slots].map(([name, bound]) => [name, bound.map((slot) => slot.tool)]));
    for (const tool of context.tools) {
      // Other rules report a tool that can never be called.
      if (!order.isCallable(tool)) continue;
      for (const { slot, span, rule } of slotNeeds(context, tool)) {
        const bound = slots.get(slot);
        // Tools that wait for each other's slots are not analysed.
        if (bound === undefined || order.mayFollow(tool, binders.get(slot) ?? [])) continue;
        const producers = producersFor(order, bound, { tool, rule });
        const isPlain = bound.every(({ bind }) => formOf(bind).kind === "plain");
        report(span, { tool: tool.name, slot, rule, isPlain, producers }, tool.name);
      }
    }
  },
});
