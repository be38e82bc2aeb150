import { slotsIn } from "../../artifact/expression-parts.js";
import type { Span } from "../../diagnostics/source.js";
import { valueSpan } from "../../language/located.js";
import { holdsWithout, inferredUses } from "../expression/inferences.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";

/** A rule of a tool that refuses its calls as long as a slot has no value. */
export interface SlotNeed {
  readonly slot: string;
  readonly span: Span;
  /** The rule, as messages name it. */
  readonly rule: "ref" | "requires";
}

/** Judging more expressions without more slots would take longer than reading the pack. */
const MOST_JUDGED = 20_000;

function collect(context: RuleContext): ReadonlyMap<NamedTool, readonly SlotNeed[]> {
  const needs = new Map<NamedTool, SlotNeed[]>();
  for (const tool of context.tools) {
    const refs = (tool.contract.argument_value_invariants ?? []).flatMap((entry) =>
      entry.ref === undefined ? [] : [{ slot: entry.ref, span: valueSpan(entry, "ref"), rule: "ref" as const }],
    );
    needs.set(tool, refs);
  }
  let judged = 0;
  for (const each of inferredUses(context)) {
    if (each.use.place !== "requires") continue;
    const { spans, tree, source } = each.expression;
    for (const slot of slotsIn(tree)) {
      const [, span] = [...spans].find(([part]) => part.kind === "slot" && part.name === slot) ?? [];
      for (const tool of each.use.tools) {
        judged += 1;
        if (judged > MOST_JUDGED || holdsWithout(context, each, tool, slot)) continue;
        needs.get(tool)?.push({ slot, span: span ?? source.spanAt(0, source.text.length), rule: "requires" });
      }
    }
  }
  return needs;
}

const known = new WeakMap<RuleContext, ReadonlyMap<NamedTool, readonly SlotNeed[]>>();

/** The slots that must have a value before a tool can be called. */
export function slotNeeds(context: RuleContext, tool: NamedTool): readonly SlotNeed[] {
  const needs = known.get(context) ?? collect(context);
  known.set(context, needs);
  return needs.get(tool) ?? [];
}
